"""The command line, as people and programs meet it."""

import dataclasses
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest
from scale import compiled_only, deals

from acesim import claims, jit
from acesim.cli import main

RUN = [sys.executable, "-c", "from acesim.cli import main; main()"]
N = str(deals(20_000, 30))


def acesim(*arguments, text=None):
    return subprocess.run(
        [*RUN, *arguments], capture_output=True, text=True, input=text, check=False
    )


def of_json(*arguments, **keywords):
    done = acesim(*arguments, "--json", **keywords)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def test_run_prints_the_promised_keys():
    record = of_json("run", "aces-up", "--policy", "tallest", "--deals", N, "--seed", "7")
    assert " ".join(record) == (
        "game variant rules policy seed first deals wins win_rate ci_low ci_high confidence one_in "
        "score_mean score_counts seconds deals_per_second version"
    )
    assert record["deals"] == int(N) == sum(record["score_counts"])
    assert record["wins"] == record["score_counts"][48]
    assert record["rules"] == {"lone-moves": "no", "fills": "optional", "discards": "forced"}


def test_run_is_the_same_with_any_jobs_and_as_a_sum():
    common = ("run", "aces-up", "--policy", "tallest", "--seed", "7", "--deals")
    count = deals(200_000, 40)
    half = str(count // 2)
    one = of_json(*common, str(count), "--jobs", "1")["score_counts"]
    two = of_json(*common, str(count), "--jobs", "2")["score_counts"]
    head = of_json(*common, half)["score_counts"]
    tail = of_json(*common, half, "--first", half)["score_counts"]
    assert one == two == [a + b for a, b in zip(head, tail, strict=True)]


def test_run_for_people_and_in_silence():
    done = acesim("run", "aces-up", "--deals", N, "--quiet")
    assert done.returncode == 0
    assert done.stderr == ""
    for word in ("Aces Up (aces-up), standard", "any-discard", "seed 1", "win rate", "version"):
        assert word in done.stdout


def test_deal():
    record = of_json("deal", "aces-up", "--seed", "1", "--index", "2")
    assert list(record) == ["game", "seed", "index", "pack"]
    assert len(set(record["pack"])) == 52
    many = of_json("deal", "aces-up", "--seed", "1", "--index", "1", "--count", "3")
    assert [row["index"] for row in many] == [1, 2, 3]
    assert many[1] == record
    text = acesim("deal", "aces-up", "--seed", "1", "--index", "2").stdout
    assert text == " ".join(record["pack"]) + "\n"


def test_trace_of_a_deal_and_of_a_pack_from_a_file_or_standard_input(tmp_path):
    record = of_json("trace", "aces-up", "--policy", "tallest", "--seed", "3", "--index", "4")
    assert list(record)[:10] == (
        ["game", "variant", "rules", "policy", "seed", "index", "pack", "moves", "score", "won"]
    )
    pack = " ".join(record["pack"])
    file = tmp_path / "pack.txt"
    file.write_text(pack.replace("T", "10").lower())
    common = ("trace", "aces-up", "--policy", "tallest")
    assert of_json(*common, "--pack", str(file))["moves"] == record["moves"]
    assert of_json(*common, "--pack", "-", text=pack)["moves"] == record["moves"]
    assert f"score {record['score']} of 48" in acesim(*common, "--pack", str(file)).stdout


def test_games_and_policies():
    games = of_json("games")
    assert [game["game"] for game in games] == ["aces-up"]
    assert list(games[0]["variants"]) == ["standard", "aces-only", "runs", "aces-stay"]
    policies = of_json("policies", "aces-up")
    assert policies[-1]["rules"]["ace-of-largest-sum"]["code"] == "200"
    assert "--variant aces-only" in acesim("games").stdout
    assert "800 smallest-on-higher" in acesim("policies", "aces-up").stdout


def test_reproduce_in_three_forms():
    name = "priority-3"
    record = of_json("reproduce", name, "--deals", N)
    assert [row["id"] for row in record] == [name]
    table = acesim("reproduce", name, "--deals", N)
    markdown = acesim("reproduce", name, "--deals", N, "--markdown")
    assert (table.returncode, markdown.returncode) == (0, 0)
    assert ("higher" if jit.ENABLED else "reproduced") in table.stdout
    assert "| priority-3 | 699 of 500,000 won (standard) |" in markdown.stdout


@compiled_only
def test_reproduce_fails_when_an_expected_claim_does(monkeypatch, capsys):
    wrong = [
        dataclasses.replace(claim, low=1 / 61, high=1 / 60, ladder=())
        for claim in claims.load()
        if claim.id == "aces-up-1-in-43"
    ]
    monkeypatch.setattr(claims, "load", lambda: wrong)
    monkeypatch.setattr(sys, "argv", ["acesim", "reproduce", "--deals", "20000"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    out, err = capsys.readouterr()
    assert "higher" in out
    assert "expected to be reproduced, but not: aces-up-1-in-43" in err


def test_per_deal_scores_add_up(tmp_path):
    import pyarrow.parquet as pq

    file = tmp_path / "scores.parquet"
    file.write_text("an older file")
    record = of_json(
        "run", "aces-up", "--policy", "any-discard", "--deals", N, "--first", str(2**63 - 5),
        "--per-deal", str(file),
    )  # fmt: skip
    table = pq.read_table(file)
    assert table.schema.names == ["index", "score", "won"]
    frame = table.to_pandas()
    assert frame["index"].tolist() == list(range(2**63 - 5, 2**63 - 5 + int(N)))
    assert frame["won"].sum() == record["wins"]
    assert (frame["won"] == (frame["score"] == 48)).all()
    counts = frame["score"].value_counts()
    assert [int(counts.get(score, 0)) for score in range(49)] == record["score_counts"]
    assert list(tmp_path.iterdir()) == [file]


@compiled_only
def test_until_margin():
    record = of_json("run", "aces-up", "--policy", "any-discard", "--until-margin", "0.001")
    assert (record["ci_high"] - record["ci_low"]) / 2 <= 0.001


BAD = [
    (["run", "acesup"], "unknown game 'acesup'; known: aces-up"),
    (["run"], "Missing argument"),
    (["rum"], "No such command 'rum'"),
    (["run", "aces-up", "--polcy", "x"], "No such option"),
    (["run", "aces-up", "--variant", "hard"], "unknown variant 'hard' of aces-up; known: standard"),
    (["run", "aces-up", "--rule", "fill=forced"], "unknown rule 'fill' of aces-up; known: lone-"),
    (["run", "aces-up", "--rule", "fills=maybe"], "unknown value 'maybe' of rule fills; known: op"),
    (["run", "aces-up", "--rule", "fills"], "--rule 'fills' has no value"),
    (["run", "aces-up", "--rule", "fills=forced", "--rule", "fills=optional"], "is given twice"),
    (["run", "aces-up", "--policy", "best"], "unknown policy 'best' of aces-up; known: never"),
    (["run", "aces-up", "--policy", "priority:7"], "unknown rule '7' in policy priority; known: 0"),
    (["run", "aces-up", "--policy", "highest:tie=random"], "unknown key 'tie' of policy highest"),
    (["run", "aces-up", "--deals", "0"], "deals 0 is out of range: 1 to"),
    (["run", "aces-up", "--deals", "-1"], "deals -1 is out of range"),
    (["run", "aces-up", "--deals", "many"], "'many' is no whole number"),
    (["run", "aces-up", "--deals", "99999999999999999999"], "is out of range"),
    (
        ["run", "aces-up", "--seed", "18446744073709551616"],
        "out of range: 0 to 18446744073709551615",
    ),
    (["run", "aces-up", "--seed", "-1"], "seed -1 is out of range"),
    (["run", "aces-up", "--first", "18446744073709551615", "--deals", "2"], "pass the last index"),
    (["run", "aces-up", "--jobs", "0"], "jobs 0 is out of range: 1 to"),
    (["run", "aces-up", "--until-margin", "0"], "margin 0.0 is out of range"),
    (["run", "aces-up", "--until-margin", "small"], "'small' is no number, such as 0.0005"),
    (["run", "aces-up", "--per-deal", "/nowhere/x.parquet"], "can't be written: No such file"),
    (["run", "aces-up", "--per-deal", "x.csv"], "must end in .parquet"),
    (["run", "aces-up", "--policy", "never", "--rule", "fills=forced"], "fills=forced forbids"),
    (["deal", "aces-up", "--count", "0"], "count 0 is out of range: 1 to"),
    (["deal", "aces-up", "--index", "18446744073709551615", "--count", "2"], "pass the last index"),
    (["deal", "chess"], "unknown game 'chess'"),
    (["trace", "aces-up", "--pack", "/nowhere"], "'/nowhere' can't be read: No such file"),
    (["trace", "aces-up", "--index", "-1"], "index -1 is out of range"),
    (["policies", "bridge"], "unknown game 'bridge'"),
    (["reproduce", "aces-up-1-in-44"], "unknown claim 'aces-up-1-in-44'; known: aces-up-1-in-43"),
    (["reproduce", "--quick", "--deals", "5"], "exclude each other"),
    (["reproduce", "--json", "--markdown"], "exclude each other"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=lambda a: " ".join(a)[:60])
def test_bad_input_gets_one_line_and_status_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["acesim", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("acesim: ")
    assert message in err


def test_bad_input_ends_a_process_with_status_2():
    done = acesim("run", "acesup")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_bad_pack_is_refused_in_one_line():
    for text, message in [("", "a pack of 0 cards, where 52"), ("AC 1X", "'1X' is not a card")]:
        done = acesim("trace", "aces-up", "--pack", "-", text=text)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert message in done.stderr


def test_a_failed_run_leaves_the_output_file_alone(tmp_path):
    file = tmp_path / "scores.parquet"
    file.write_text("precious")
    done = acesim("run", "aces-up", "--policy", "best", "--per-deal", str(file))
    assert done.returncode == 2
    assert file.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [file]


@compiled_only
@pytest.mark.parametrize("quiet", [False, True])
def test_ctrl_c_reports_what_is_finished_and_leaves_with_130(quiet, tmp_path):
    file = tmp_path / "scores.parquet"
    arguments = ["run", "aces-up", "--deals", str(10**12), "--json", "--per-deal", str(file)]
    process = subprocess.Popen(
        [*RUN, *arguments, *(["--quiet"] if quiet else [])],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not any(path.stat().st_size > 100_000 for path in tmp_path.iterdir()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    record = json.loads(out)
    assert 0 < record["deals"] < 10**12
    assert ("interrupted" in err) != quiet
    again = of_json("run", "aces-up", "--deals", str(record["deals"]))
    assert again["score_counts"] == record["score_counts"]
    import pyarrow.parquet as pq

    assert pq.read_metadata(file).num_rows == record["deals"]


@compiled_only
def test_a_terminal_sees_progress_with_rate_and_time_left():
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [*RUN, "run", "aces-up", "--deals", "6000000"],
        stdout=subprocess.DEVNULL, stderr=child,
        env=os.environ | {"COLUMNS": "120", "TERM": "xterm"},
    )  # fmt: skip
    os.close(child)
    seen = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(parent)
    assert process.wait() == 0
    assert re.search(rb"aces-up.*/6000000.*deals/s.*\d:\d\d", seen)


def test_help_and_version_are_quick_to_import():
    """Numba, pandas and the rest are imported where they are used."""
    code = (
        "import sys\nfrom acesim.cli import main\nsys.argv = ['acesim', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'pandas', 'scipy', 'pyarrow'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "reproduce" in done.stdout
    assert re.fullmatch(r"acesim \d+\.\d+\.\d+\n", acesim("--version").stdout)
    assert "Usage" in acesim("run", "--help").stdout
