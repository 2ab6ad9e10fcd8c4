"""Batches: the same deals, the same counts, whatever the threads, blocks and interruptions."""

import _thread
import inspect
import threading
from pathlib import Path

import numpy as np
import pytest
from scale import compiled_only, deals

import acesim
from acesim import batch as batches
from acesim import stats
from acesim.batch import BLOCK, Batch, Interrupted, simulate
from acesim.errors import InputError


def test_the_result_depends_on_neither_jobs_nor_blocks_nor_the_cut():
    count = deals(200_000, 60)
    whole = simulate("aces-up", "random", deals=count, seed=7, jobs=1)
    threads = simulate("aces-up", "random", deals=count, seed=7, jobs=3)
    half = count // 2 + 7
    head = simulate("aces-up", "random", deals=half, seed=7)
    tail = simulate("aces-up", "random", deals=count - half, seed=7, first=half)
    assert whole.score_counts.tolist() == threads.score_counts.tolist()
    assert whole.score_counts.tolist() == (head + tail).score_counts.tolist()
    assert (head + tail).deals == count
    with pytest.raises(ValueError, match="neighbouring"):
        tail + head


@pytest.mark.parametrize(
    "policy", ["random", "tallest", "most-before-deal", "any-discard:ties=random"]
)
def test_a_deals_score_depends_on_no_other_deal(policy):
    batch = Batch("aces-up", policy, seed=4)
    count = deals(300, 20)
    together = batch.scores(10, count)
    assert together.tolist() == [int(batch.scores(10 + i, 1)[0]) for i in range(count)]


def test_deals_at_the_end_of_the_range_can_be_played():
    last = 2**64 - 1
    result = simulate("aces-up", "first", deals=10, seed=last, first=last - 9)
    assert result.deals == 10
    with pytest.raises(InputError, match="pass the last index"):
        simulate("aces-up", "first", deals=11, first=last - 9)


def test_known_counts_stay():
    """Golden: changing packs or play changes these."""
    expected = {
        ("standard", "tallest"): 138,
        ("standard", "random"): 115,
        ("standard", "most-before-deal"): 540,
        ("aces-only", "random"): 68,
        ("runs", "any-discard"): 441,
    }
    if batches.jit.ENABLED:
        found = {
            (variant, policy): simulate("aces-up", policy, variant=variant, deals=20_000).wins
            for variant, policy in expected
        }
        assert found == expected


@compiled_only
def test_it_goes_on_until_the_margin_is_reached_and_no_further():
    margin = 0.001
    planned = []
    result = simulate(
        "aces-up", "any-discard", until_margin=margin, jobs=2,
        progress=lambda _, total: planned.append(total),
    )  # fmt: skip
    assert planned[-1] == result.deals
    assert planned[0] == pytest.approx(result.deals, rel=0.3)
    low, high = result.interval
    assert (high - low) / 2 <= margin
    assert result.deals % BLOCK == 0
    fewer = simulate("aces-up", "any-discard", deals=result.deals - BLOCK)
    assert stats.wilson_margin(fewer.wins, fewer.deals) > margin
    assert simulate("aces-up", "any-discard", until_margin=margin, jobs=1).deals == result.deals
    capped = simulate("aces-up", "any-discard", until_margin=1e-9, deals=50_000)
    assert capped.deals == 50_000


@compiled_only
def test_an_interrupted_batch_is_the_batch_of_the_deals_finished():
    finished = []

    def progress(done, planned):
        finished.append(done)
        if len(finished) == 5:
            _thread.interrupt_main()

    with pytest.raises(Interrupted) as caught:
        simulate("aces-up", "tallest", deals=10**12, seed=9, progress=progress, jobs=2)
    result = caught.value.result
    assert result.deals >= 5 * BLOCK
    again = simulate("aces-up", "tallest", deals=result.deals, seed=9)
    assert again.score_counts.tolist() == result.score_counts.tolist()


def test_blocks_come_in_order():
    seen = []
    count = deals(5 * BLOCK + 1, 40)

    def each_block(first, scores):
        seen.append((first, len(scores)))

    simulate("aces-up", "first", deals=count, jobs=4, each_block=each_block)
    assert [first for first, _ in seen] == list(range(0, count, BLOCK))
    assert sum(size for _, size in seen) == count


BAD = [
    ({"game": "acesup"}, "unknown game 'acesup'; known: aces-up; did you mean aces-up"),
    ({"policy": "talest"}, r"unknown policy 'talest'.*known: never, first.*did you mean tallest"),
    ({"policy": "tallest:tie=random"}, r"unknown key 'tie' of policy tallest; known: ties"),
    ({"policy": "tallest:ties=left"}, "unknown value 'left' of key ties; known: leftmost"),
    ({"policy": "tallest:ties"}, "key 'ties' of policy tallest is without a value"),
    ({"policy": "tallest:ties=random,ties=random"}, "is given twice"),
    ({"policy": "first:ties=random"}, "takes no keys"),
    ({"policy": "first:"}, "takes no keys"),
    ({"policy": "search:fills=much"}, "'much' is no number"),
    ({"policy": "search:fills=nan"}, "'nan' is no number"),
    ({"policy": "search:fills=inf"}, "'inf' is no number"),
    ({"policy": "priority"}, "names no rule: write priority:RULE"),
    ({"policy": "priority:5"}, "unknown rule '5' in policy priority; known: 0 highest"),
    ({"policy": "priority:"}, "unknown rule ''"),
    ({"policy": ""}, "unknown policy ''"),
    ({"variant": "strict"}, "unknown variant 'strict' of aces-up; known: standard"),
    ({"rules": {"fill": "forced"}}, "unknown rule 'fill' of aces-up; known: lone-moves"),
    ({"rules": {"fills": "yes"}}, "unknown value 'yes' of rule fills; known: optional, forced"),
    ({"policy": "never", "rules": {"fills": "forced"}}, "which fills=forced forbids"),
    ({"deals": 0}, "deals 0 is out of range: 1 to"),
    ({"deals": -5}, "deals -5 is out of range"),
    ({"deals": 10**16}, "is out of range"),
    ({"seed": 2**64}, "seed 18446744073709551616 is out of range"),
    ({"seed": -1}, "seed -1 is out of range"),
    ({"first": -1}, "index -1 is out of range"),
    ({"first": 2**64}, "index 18446744073709551616 is out of range"),
    ({"jobs": 0}, "jobs 0 is out of range: 1 to"),
    ({"jobs": 10**6}, "is out of range"),
    ({"until_margin": 0.0}, "margin 0.0 is out of range"),
    ({"until_margin": float("nan")}, "margin nan is out of range"),
    ({"confidence": 1.0}, "confidence 1.0 is out of range"),
]


@pytest.mark.parametrize(("conditions", "message"), BAD)
def test_unusable_conditions_are_refused_in_one_line(conditions, message):
    with pytest.raises(InputError, match=message) as caught:
        simulate(**({"game": "aces-up", "policy": "first", "deals": 10} | conditions))
    assert "\n" not in str(caught.value)


# A user's own policies.


def my_tallest(piles, heights, legal, stock, chance):
    best = -1
    for pile in range(4):
        if legal[pile] > 0 and (best < 0 or heights[pile] > heights[best]):
            best = pile
    return best


def my_highest(piles, heights, legal, stock, chance):
    best = -1
    best_rank = -1
    for pile in range(4):
        rank = piles[pile, 0] % 13
        if rank == 0:
            rank = 13
        if legal[pile] > 0 and rank > best_rank:
            best = pile
            best_rank = rank
    return best


def my_first_run(piles, heights, legal, stock, chance):
    for pile in range(4):
        if legal[pile] > 0:
            return pile + 4 * (legal[pile] - 1)
    return -1


@pytest.mark.parametrize("variant", ["standard", "aces-only", "runs", "aces-stay"])
@pytest.mark.parametrize(
    ("own", "built_in"),
    [(my_tallest, "tallest"), (my_highest, "highest"), (my_first_run, "first")],
)
def test_an_own_policy_plays_like_its_built_in_twin(own, built_in, variant):
    if variant == "runs" and own is not my_first_run:
        return  # the built-in ones move runs
    count = deals(50_000, 20)
    mine = simulate("aces-up", own, variant=variant, deals=count)
    theirs = simulate("aces-up", built_in, variant=variant, deals=count)
    assert mine.score_counts.tolist() == theirs.score_counts.tolist()
    assert mine.policy.startswith(f"own:{own.__name__}#")


def test_an_own_policy_sees_the_whole_tableau():
    def check(piles, heights, legal, stock, chance):
        total = 0
        for pile in range(4):
            total += heights[pile]
            for depth in range(52):
                if (piles[pile, depth] < 52) != (depth < heights[pile]):
                    return 9  # forbidden: the run fails
            if legal[pile] > 0 and heights[pile] < 2:
                return 9
        if total + stock > 52 or stock % 4:
            return 9
        return my_choice(legal, chance)

    if not batches.jit.ENABLED:
        my_choice = _any_legal
    else:
        import numba

        my_choice = numba.njit(_any_legal)
    result = simulate("aces-up", check, deals=deals(5000, 20))
    assert result.deals == deals(5000, 20)


def _any_legal(legal, chance):
    start = int(chance % np.uint64(4))
    for step in range(4):
        pile = (start + step) % 4
        if legal[pile] > 0:
            return pile
    return -1


def test_an_own_policy_that_breaks_the_rules_is_told_in_which_deal():
    def cheat(piles, heights, legal, stock, chance):
        return 0

    with pytest.raises(InputError, match=r"own:cheat.* forbid in the deal of seed 1, index \d+"):
        simulate("aces-up", cheat, deals=deals(1000, 50))


@compiled_only
def test_an_own_policy_that_numba_cant_compile_is_refused_in_one_line():
    def wrong(piles, heights, legal, stock, chance):
        return sorted({"a": piles}, key=str)

    with pytest.raises(InputError, match="'wrong' can't be compiled by numba: ") as caught:
        simulate("aces-up", wrong, deals=10)
    assert "\n" not in str(caught.value)

    def scribble(piles, heights, legal, stock, chance):
        legal[0] = 1
        return 0

    with pytest.raises(InputError, match=r"'scribble' can't be compiled by numba: .*readonly"):
        simulate("aces-up", scribble, deals=10)

    def too_few(piles):
        return 0

    with pytest.raises(InputError, match="'too_few' can't be compiled"):
        simulate("aces-up", too_few, deals=10)


def test_a_trace_of_an_own_policy_replays():
    traced = acesim.trace("aces-up", my_tallest, seed=1, index=5)
    assert traced.moves == acesim.trace("aces-up", "tallest", seed=1, index=5).moves


def test_the_readmes_own_policy_runs():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    block = next(b for b in readme.split("```python\n")[1:] if "def " in b).split("```")[0]
    small = block.replace("1_000_000", str(deals(1_000_000, 50)))
    names = {"__name__": "example"}
    exec(compile(small, "<README>", "exec"), names)
    assert isinstance(names["result"], acesim.Result)


def test_frames_concatenate_and_keep_the_conditions():
    import pandas as pd

    runs = [simulate("aces-up", p, deals=deals(1000, 10)) for p in ("first", "random")]
    frame = pd.concat([run.frame() for run in runs])
    assert frame.groupby("policy")["deals"].sum().tolist() == [deals(1000, 10)] * 2
    assert {"game", "variant", "fills", "seed", "first", "version", "score"} <= set(frame.columns)


def test_every_public_name_is_there_and_documented():
    for name in acesim.__all__:
        thing = getattr(acesim, name)
        assert name.startswith("__") or inspect.getdoc(thing)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(acesim, "nothing")  # noqa: B009


@compiled_only
def test_batches_may_run_side_by_side_in_threads():
    results = {}

    def go(policy):
        results[policy] = simulate("aces-up", policy, deals=100_000, jobs=2).wins

    threads = [threading.Thread(target=go, args=(p,)) for p in ("first", "tallest", "random")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {p: simulate("aces-up", p, deals=100_000).wins for p in results}


def test_a_function_without_source_plays_under_its_name_alone():
    names = {}
    text = "def nameless(piles, heights, legal, stock, chance):\n    return -1\n"
    exec(compile(text, "README.md", "exec"), names)  # a file that says something else
    result = simulate("aces-up", names["nameless"], deals=10)
    never = simulate("aces-up", "never", deals=10)
    assert result.policy.startswith("own:nameless")
    assert result.score_counts.tolist() == never.score_counts.tolist()
