"""The claims as data, and their verdicts."""

import math

import numpy as np
import pytest
from scale import deals

from acesim import claims, stats
from acesim.batch import simulate
from acesim.errors import InputError
from acesim.games import game as find

CLAIMS = {claim.id: claim for claim in claims.load()}


def result_of(rate, number=1_000_000):
    result = simulate("aces-up", "first", deals=10)
    counts = np.zeros(49, np.int64)
    counts[-1] = round(rate * number)
    counts[30] = number - counts[-1]
    return type(result)(**(vars(result) | {"score_counts": counts}))


def test_every_claim_can_be_played():
    assert len(CLAIMS) == len(claims.load())
    for claim in CLAIMS.values():
        game = find(claim.game)
        game.rules(claim.variant, claim.rules)
        for text in (claim.policy, *claim.ladder):
            assert game.policy(text).text == text
        assert 0 < claim.low < claim.high < 1
        assert claim.source
        assert claim.deals >= 1_000_000


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        (
            "aces-up-1-in-43",
            stats.wilson(round(1_000_000 / 43.5), 1_000_000)[0],
            stats.wilson(round(1_000_000 / 42.5), 1_000_000)[1],
        ),
        ("aces-only-1-in-270", 1 / 275, 1 / 265),
        ("around-3-percent", 0.025, 0.035),
        ("basic-half-percent", 0.0045, 0.0055),
        ("1-in-200", 1 / 250, 1 / 150),
        ("priority-4", *stats.wilson(4131, 500_000)),
    ],
)
def test_what_a_claim_admits(name, low, high):
    assert math.isclose(CLAIMS[name].low, low)
    assert math.isclose(CLAIMS[name].high, high)


def test_verdicts_are_facts_and_only_expected_ones_can_fail():
    expected = CLAIMS["aces-up-1-in-43"]
    other = CLAIMS["average-4-percent"]
    for rate, verdict in [(1 / 43, "reproduced"), (1 / 40, "higher"), (1 / 47, "lower")]:
        found = claims.Verdict(expected, result_of(rate))
        assert (found.verdict, found.failed) == (verdict, verdict != "reproduced")
    found = claims.Verdict(other, result_of(0.02))
    assert (found.verdict, found.failed) == ("lower", False)
    assert claims.Verdict(expected, result_of(1 / 43.6)).verdict == "reproduced"


def test_a_sources_distribution_is_tested_by_cards_left():
    claim = CLAIMS["priority-200-2"]
    assert sum(claim.cards_left.values()) == pytest.approx(4_000_000, rel=1e-4)
    counts = np.zeros(49, np.int64)
    for left, number in claim.cards_left.items():
        counts[52 - left] = number
    same = result_of(0.1)
    same = type(same)(**(vars(same) | {"score_counts": counts}))
    assert claims.Verdict(claim, same).p_value == pytest.approx(1)
    assert claims.Verdict(claim, result_of(0.007)).p_value < 1e-6
    assert claims.Verdict(CLAIMS["priority-4"], same).p_value is None


def test_records_have_the_keys_that_programs_read():
    number = deals(20_000, 30)
    verdicts = claims.reproduce(["aces-only-1-in-270", "priority-3"], deals=number)
    assert [verdict.claim.id for verdict in verdicts] == ["aces-only-1-in-270", "priority-3"]
    record = verdicts[0].record()
    assert {
        "id", "claim", "claimed_low", "claimed_high", "measured", "ci_low", "ci_high", "deals",
        "policy", "verdict", "seed", "version",
    } <= set(record)  # fmt: skip
    assert record["deals"] == number
    assert len(record["ladder"]) == len(CLAIMS["aces-only-1-in-270"].ladder)


def test_unknown_claims_and_contradictions_are_refused():
    with pytest.raises(
        InputError, match=r"unknown claim 'aces-up-1-in-44'; known: aces-up-1-in-43"
    ):
        claims.reproduce(["aces-up-1-in-44"])
    with pytest.raises(InputError, match="exclude each other"):
        claims.reproduce(quick=True, deals=5)
    with pytest.raises(InputError, match="deals 0 is out of range"):
        claims.reproduce(deals=0)


@pytest.mark.slow
def test_every_claim_at_full_size():
    verdicts = claims.reproduce()
    assert not [verdict.claim.id for verdict in verdicts if verdict.failed]
    found = {verdict.claim.id: verdict.verdict for verdict in verdicts}
    assert found["priority-3"] == "higher"
    assert found["average-4-percent"] == found["1-in-10"] == "lower"
    newer = ("priority-800-200-2", "priority-4", "priority-0", "priority-1000", "priority-200-2")
    assert {found[name] for name in newer} == {"reproduced"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "variant", "low", "high"),
    [
        ("random", "standard", 171, 178),
        ("first", "standard", 209, 217),
        ("highest", "standard", 143, 150),
        ("any-discard", "standard", 43.0, 44.0),
        ("most-discards", "standard", 39.7, 41.0),
        ("most-before-deal", "standard", 35.9, 36.8),
        ("never", "standard", 50_000, 200_000),
        ("first", "aces-only", 270, 283),
        ("random", "aces-only", 266, 278),
        ("tallest", "aces-only", 232, 242),
    ],
)
def test_odds_from_trials_of_other_programs(policy, variant, low, high):
    """4,000,000 deals; the ranges hold the odds found by independent programs, and 3 errors."""
    result = simulate("aces-up", policy, variant=variant, deals=4_000_000)
    assert low <= result.one_in <= high
