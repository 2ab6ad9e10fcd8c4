"""The compiled cache never lies, is never in the way, and can be switched off."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scale import compiled_only

import acesim
from acesim import jit

PACKAGE = Path(acesim.__file__).parent
COUNTS = (
    "import acesim; print(acesim.simulate('aces-up', 'tallest', deals=2000).score_counts.tolist())"
)
PACK = "from acesim import deals; print(deals.pack(1, 0))"

pytestmark = compiled_only


def python(code, *arguments, cwd, **environment):
    """Run ``code`` in a process of its own and return what it printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ACESIM_", "NUMBA_"))}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=env | {"PYTHONPATH": str(cwd)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, which a process started beside it imports."""
    shutil.copytree(PACKAGE, tmp_path / "acesim", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_an_edit_in_another_file_is_noticed(copy):
    """``rank_sum`` in policies.py calls ``rank_value`` in rules.py; numba alone wouldn't notice."""
    cache = str(copy / "cache")
    code = (
        "import numpy as np\n"
        "from acesim.games.aces_up.policies import rank_sum\n"
        "print(rank_sum(np.uint64(1)))"
    )
    assert python(code, cwd=copy, ACESIM_CACHE_DIR=cache) == "14\n"
    assert python(code, cwd=copy, ACESIM_CACHE_DIR=cache) == "14\n"
    edit(copy / "acesim" / "games" / "aces_up" / "rules.py", "return 14 -", "return 40 -")
    assert python(code, cwd=copy, ACESIM_CACHE_DIR=cache) == "40\n"
    assert len(list((copy / "cache").iterdir())) == 2


@pytest.mark.slow
def test_an_edited_shuffle_gives_new_results(copy):
    """The kernel in play.py has the shuffle of deals.py inlined."""
    cache = str(copy / "cache")
    before = python(COUNTS, cwd=copy, ACESIM_CACHE_DIR=cache)
    assert python(COUNTS, cwd=copy, ACESIM_CACHE_DIR=cache) == before
    edit(copy / "acesim" / "deals.py", "PACK_STREAM = np.uint64(0)", "PACK_STREAM = np.uint64(2)")
    after = python(COUNTS, cwd=copy, ACESIM_CACHE_DIR=cache)
    assert after != before
    assert after == python(COUNTS, cwd=copy, ACESIM_NO_CACHE="1")


def test_it_works_where_nothing_can_be_written(copy):
    """A file in the place of the directories stops even root."""
    file = copy / "file"
    file.touch()
    where = {"HOME": str(file), "XDG_CACHE_HOME": str(file)}
    code = f"from acesim import jit; assert jit.cache_directory() is None; {PACK}"
    expected = python(PACK, cwd=copy, ACESIM_NO_CACHE="1")
    assert python(code, cwd=copy, **where) == expected
    assert python(code, cwd=copy, **where, ACESIM_CACHE_DIR=str(file / "cache")) == expected


def test_the_switch_keeps_everything_off_the_disk(copy):
    cache = copy / "cache"
    environment = {"ACESIM_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    before = set(copy.rglob("*"))
    without = python(PACK, cwd=copy, ACESIM_NO_CACHE="1", **environment)
    assert set(copy.rglob("*")) == before
    assert python(PACK, cwd=copy, ACESIM_NO_CACHE="0", **environment) == without
    assert list(cache.rglob("*.nbc"))


def test_processes_that_start_together_share_a_cold_cache(copy):
    env = os.environ | {"PYTHONPATH": str(copy), "ACESIM_CACHE_DIR": str(copy / "cache")}
    arguments = [sys.executable, "-c", COUNTS]
    started = [
        subprocess.Popen(
            arguments, cwd=copy, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(6)
    ]
    outputs = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0] * 6, outputs
    assert len({out for out, _ in outputs}) == 1


def test_a_users_function_leaves_nothing_in_the_cache(copy):
    """Else a process that can't import the user's module would fail to load the cache."""
    (copy / "theirs.py").write_text(
        "import acesim\n"
        "def mine(piles, heights, legal, stock, chance):\n"
        "    for pile in range(4):\n"
        "        if legal[pile]:\n"
        "            return pile\n"
        "    return -1\n"
        "print(acesim.simulate('aces-up', mine, deals=100).wins)\n"
        "print(acesim.trace('aces-up', mine).score)\n"
    )
    cache = str(copy / "cache")
    python("import theirs", cwd=copy, ACESIM_CACHE_DIR=cache)
    (copy / "theirs.py").unlink()
    code = (
        "import acesim\n"
        "print(acesim.simulate('aces-up', 'first', deals=100).wins, acesim.trace('aces-up').score)"
    )
    assert python(code, cwd=copy, ACESIM_CACHE_DIR=cache)


def test_other_packages_keep_numbas_setting(copy):
    code = (
        "import numba; before = numba.config.CACHE_DIR\n"
        "import acesim.deals; assert numba.config.CACHE_DIR == before"
    )
    python(code, cwd=copy, ACESIM_CACHE_DIR=str(copy / "cache"))


def test_stale_caches_are_removed_and_nothing_else(tmp_path):
    mine = tmp_path / ("0" * 16)
    old = tmp_path / ("a" * 16)
    fresh = tmp_path / ("b" * 16)
    other = tmp_path / "not-a-cache-here"
    for directory in (mine, old, fresh, other):
        directory.mkdir()
    for directory in (mine, old, other):
        os.utime(directory, (0, 0))
    jit._remove_stale(mine)
    assert {path.name for path in tmp_path.iterdir()} == {mine.name, fresh.name, other.name}


def test_the_intrinsics_count_bits():
    import numpy as np

    for word in (0, 1, 2, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x00F0):
        expected = (word & -word).bit_length() - 1 if word else 64
        assert _zeros(np.uint64(word)) == expected
        assert _ones(np.uint64(word)) == word.bit_count()
        assert _high(np.uint64(word), np.uint64(3 << 62)) == word * (3 << 62) >> 64


@jit.kernel
def _zeros(word):
    return jit.trailing_zeros(word)


@jit.kernel
def _ones(word):
    return jit.ones(word)


@jit.kernel
def _high(left, right):
    return jit.multiply_high(left, right)
