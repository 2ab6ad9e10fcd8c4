"""Kernels against their plain twins, and traces against the referee."""

import naive
import numpy as np
import pytest
from scale import deals

from acesim import deals as packs_of
from acesim.batch import Batch
from acesim.cards import card_text
from acesim.games.aces_up.policies import PRIORITY_RULES

VARIANTS = ("standard", "aces-only", "runs", "aces-stay")
POLICIES = (
    "never",
    "first",
    "random",
    "tallest",
    "tallest:ties=rightmost",
    "tallest:ties=random",
    "highest",
    "highest:ties=random",
    "lowest",
    "lowest:ties=rightmost",
    "any-discard",
    "any-discard:ties=random",
    "any-discard:ties=highest",
    "most-discards",
    "most-discards:ties=rightmost",
    "most-discards:ties=random",
    "most-discards:ties=shortest",
    "most-before-deal",
    "search:fills=1,stop=no",
    "search:discards=10,bottom-aces=5,buried-aces=-10,singles=0.5,empty=2,hopeless=-50",
    "priority:800,200,2",
    "priority:2,1,20,100,300,1000",
    "priority:1,2,10,20,100,1000",
    "priority:900,400,40",
    "priority:810,30",
    "priority:910,3",
)
FAMILIES = (
    "never", "first", "random", "tallest", "highest", "lowest", "any-discard", "most-discards",
    "most-before-deal", "search:discards=10,bottom-aces=5,buried-aces=-10", "priority:800,200,2",
)  # fmt: skip


def twin_scores(batch, count, seed, fills="optional"):
    play = naive.policy(batch.policy.text)
    scores = []
    for index, pack in enumerate(packs_of.packs(seed, 0, count)):
        cards = [card_text(card) for card in pack]
        game = naive.Game(cards, batch.rules.variant, fills, seed, index)
        scores.append(game.play(play))
    return np.array(scores)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_kernel_scores_every_deal_as_its_twin_does(policy, variant):
    batch = Batch("aces-up", policy, variant=variant, seed=2024)
    count = deals(500, 5)
    assert (batch.scores(0, count) == twin_scores(batch, count, 2024)).all()


@pytest.mark.parametrize("code", PRIORITY_RULES)
def test_each_priority_rule_alone_and_before_another(code):
    for text in (f"priority:{code}", f"priority:{code},0"):
        batch = Batch("aces-up", text, seed=99)
        count = deals(400, 5)
        assert (batch.scores(0, count) == twin_scores(batch, count, 99)).all()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "policy", ["priority:1", "priority:100,2", "most-before-deal", "search:discards=-1"]
)
def test_forced_fills_go_to_the_leftmost_pile_where_the_policy_names_none(policy, variant):
    batch = Batch("aces-up", policy, variant=variant, rules={"fills": "forced"}, seed=3)
    count = deals(400, 5)
    assert (batch.scores(0, count) == twin_scores(batch, count, 3, "forced")).all()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("policy", FAMILIES)
def test_every_trace_replays_to_the_score_that_a_run_counts(policy, variant):
    """The referee shares no code with the kernels and forbids what the rules forbid."""
    batch = Batch("aces-up", policy, variant=variant, seed=5)
    count = deals(10_000)
    scores = batch.scores(0, count)
    for index, pack in enumerate(packs_of.packs(5, 0, count)):
        moves = batch.moves(pack, index)
        assert batch.game.replay(pack, moves, batch.rules) == scores[index], index


@pytest.mark.parametrize(
    "switch", [("fills", "forced"), ("lone-moves", "yes"), ("discards", "optional")]
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_traces_keep_the_switches(switch, variant):
    batch = Batch("aces-up", "priority:1,200", variant=variant, rules=dict([switch]), seed=6)
    count = deals(2000)
    scores = batch.scores(0, count)
    for index, pack in enumerate(packs_of.packs(6, 0, count)):
        moves = batch.moves(pack, index)
        assert batch.game.replay(pack, moves, batch.rules) == scores[index], index


def test_the_names_and_the_codes_of_priority_rules_are_one_policy():
    named = "priority:smallest-on-higher,ace-of-largest-sum,highest-of-largest-sum"
    by_name = Batch("aces-up", named).policy
    by_code = Batch("aces-up", "priority:800,200,2").policy
    assert by_name.text == by_code.text == "priority:800,200,2"
    assert (by_name.encoded.rows == by_code.encoded.rows).all()


def test_a_policy_has_one_spelling():
    assert Batch("aces-up", "most-discards:ties=leftmost").policy.text == "most-discards"
    text = "search:empty=2,discards=1.0,singles=0.1"
    assert Batch("aces-up", text).policy.text == "search:singles=0.1,empty=2"
