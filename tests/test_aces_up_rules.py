"""The rules of Aces Up: properties, and every way to break them."""

import random

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scale import deals

from acesim import deals as packs_of
from acesim.batch import Batch
from acesim.cards import card_text, parse_pack
from acesim.errors import IllegalMove
from acesim.games import game as find
from acesim.games.aces_up import rules as compiled
from acesim.games.aces_up.referee import Table

GAME = find("aces-up")
DECK = [card_text(card) for card in range(52)]
ACES = {"AC", "AD", "AH", "AS"}
tableaus = st.permutations(DECK).flatmap(
    lambda cards: st.lists(st.integers(0, 13), min_size=4, max_size=4).map(
        lambda sizes: [[cards.pop() for _ in range(size)] for size in sizes]
    )
)


def as_sets(piles):
    """A tableau as the kernels hold it: tops, tableau, piles and below, each with one row."""
    bit = {text: np.uint64(compiled.BIT[card]) for card, text in enumerate(DECK)}
    one = np.uint64(1)
    tops = np.zeros(1, np.uint64)
    tableau = np.zeros(1, np.uint64)
    sets = np.zeros((1, 4), np.uint64)
    below = np.zeros(compiled.BELOW, np.uint64)
    for number, pile in enumerate(piles):
        for under, card in zip([None, *pile], pile, strict=False):
            sets[0, number] |= one << bit[card]
            below[bit[card]] = 0 if under is None else one << bit[under]
        if pile:
            tops[0] |= one << bit[pile[-1]]
    tableau[0] = np.bitwise_or.reduce(sets[0])
    return tops, tableau, sets, below


def cards_of(cards):
    return {DECK[compiled.CARD[bit]] for bit in range(64) if int(cards) >> bit & 1}


def table(piles, variant="standard", **switches):
    """A referee's table with these piles and an empty stock."""
    rules = GAME.rules(variant, {name.replace("_", "-"): v for name, v in switches.items()})
    result = Table(np.zeros(0, np.uint8), rules)
    result.piles = [pile.split() for pile in piles]
    return result


@given(tableaus, st.randoms(use_true_random=False))
def test_discards_end_in_one_tableau_in_whatever_order(piles, random):
    """A discard that is available stays so: the highest top of a suit never goes."""
    ends = []
    for pick in (lambda c: c[0], lambda c: c[-1], random.choice, random.choice):
        game = naive.Game([])
        game.piles = [list(pile) for pile in piles]
        game.discard_all(pick)
        ends.append(game.piles)
    assert all(end == ends[0] for end in ends)
    tops, tableau, _, below = as_sets(piles)
    after, left = compiled.discard_all(tops[0], tableau[0], below, np.uint64(0))
    assert cards_of(left) == {card for pile in ends[0] for card in pile}
    assert cards_of(after) == {pile[-1] for pile in ends[0] if pile}


@given(st.sets(st.sampled_from(DECK)))
def test_beaten_is_all_but_the_highest_of_each_suit(cards):
    bits = sum(1 << int(compiled.BIT[DECK.index(card)]) for card in cards)
    expected = {
        card
        for card in cards
        if any(c[1] == card[1] and naive.value(c) > naive.value(card) for c in cards)
    }
    assert cards_of(compiled.beaten(np.uint64(bits))) == expected


@given(tableaus, st.sampled_from(list(GAME.variants)))
def test_sources_are_the_piles_that_may_fill(piles, variant):
    tops, tableau, sets, _ = as_sets(piles)
    code = GAME.rules(variant).codes[0]
    found = compiled.sources(tops[0], tableau[0], sets, np.uint64(0), code)
    game = naive.Game([], variant)
    game.piles = piles
    assert [n for n in range(4) if int(found) >> n & 1] == game.sources()


@given(tableaus, st.integers(0, 3), st.integers(1, 5))
def test_a_move_can_be_taken_back(piles, source, cards):
    cards = min(cards, len(piles[source]))
    if not cards:
        return
    target = next((n for n in range(4) if not piles[n]), None)
    if target is None:
        return
    tops, _, sets, below = as_sets(piles)
    old = sets.copy(), below.copy()
    lane = np.uint64(0)
    after, moved, place, under = compiled.move_cards(
        lane, tops[0], source, target, cards, sets, below
    )
    assert cards_of(moved) == set(piles[source][-cards:])
    expected = [list(pile) for pile in piles]
    expected[target] = expected[source][-cards:]
    del expected[source][-cards:]
    twin = as_sets(expected)
    assert (after, sets.tolist()) == (twin[0][0], twin[2].tolist())
    assert below.tolist() == twin[3].tolist()
    compiled.unmove_cards(lane, source, target, moved, place, under, sets, below)
    assert (sets.tolist(), below.tolist()) == (old[0].tolist(), old[1].tolist())


def random_moves(referee, rng, stop=0.1):
    """Play legal moves at random; yield after each."""
    number = 0
    while True:
        fills = [
            f"t{s}>t{t}" + (f"x{k}" if k > 1 else "")
            for s in range(1, 5)
            for t in range(1, 5)
            for k in range(1, 4)
        ]
        moves = [f"t{n}>out" for n in range(1, 5)] + fills
        rng.shuffle(moves)
        moves.insert(0 if rng.random() < stop else len(moves), "stock>t")
        for move in moves:
            number += 1
            try:
                referee.play(number, move)
            except IllegalMove:
                continue
            yield move
            break
        else:
            return
        if number > 3000:  # lone cards can go round for ever
            return


@pytest.mark.parametrize("variant", GAME.variants)
@pytest.mark.parametrize(
    "switches", [{}, {"lone-moves": "yes"}, {"fills": "forced"}, {"discards": "optional"}]
)
def test_cards_are_conserved_and_48_discards_leave_the_aces(variant, switches):
    rng = random.Random(f"{variant} {switches}")
    rules = GAME.rules(variant, switches)
    for pack in packs_of.packs(11, 0, deals(100, 3)):
        referee = Table(pack, rules)
        out = set()
        before = set(DECK)
        for _ in random_moves(referee, rng):
            held = [card for pile in referee.piles for card in pile] + referee.stock
            assert len(held) == len(set(held))
            out |= before - set(held)
            before = set(held)
            assert len(held) + referee.discards == 52
            assert set(held) | out == set(DECK)
            assert not out & ACES
            assert (referee.discards == 48) == (set(held) == ACES)


@pytest.mark.parametrize("variant", ["standard", "aces-only", "runs"])
@given(st.permutations(sorted(ACES)), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_a_player_with_only_aces_left_can_spread_them(variant, aces, places):
    piles = [[], [], [], []]
    for ace, place in zip(aces, places, strict=True):
        piles[place].append(ace)
    referee = table([" ".join(pile) for pile in piles], variant)
    number = 0
    while [] in referee.piles:
        source = max(range(4), key=lambda n: len(referee.piles[n]))
        number += 1
        referee.play(number, f"t{source + 1}>t{referee.piles.index([]) + 1}")
    assert [len(pile) for pile in referee.piles] == [1, 1, 1, 1]


def test_score_48_exactly_when_only_aces_remain():
    """The kernel's wins, looked at card by card."""
    batch = Batch("aces-up", "most-discards", seed=8)
    scores = batch.scores(0, deals(3000))
    for index in range(len(scores)):
        pack = packs_of.pack(8, index)
        moves = batch.moves(pack, index)
        referee = Table(pack, batch.rules)
        for number, move in enumerate(moves, start=1):
            referee.play(number, move)
        left = {card for pile in referee.piles for card in pile}
        assert not referee.stock
        assert (left == ACES) == (scores[index] == 48)


RAINBOW = " ".join(rank + suit for rank in "A23456789TJQK" for suit in "CDHS")


def test_the_all_rainbow_pack_scores_nothing():
    batch = Batch("aces-up", "first")
    pack = parse_pack(RAINBOW)
    moves = batch.moves(pack, 0)
    assert moves == ["stock>t"] * 13
    assert batch.game.replay(pack, moves, batch.rules) == 0


ILLEGAL = [
    ("t1>out", ["2C", "3D", "4H", "5S"], {}, "no other top beats 2C"),
    ("t4>out", ["2C", "3D", "4H", ""], {}, "t4 is empty"),
    ("t4>t1", ["", "2C", "3D", ""], {}, "t4 is empty"),
    ("t1>t2", ["4C 2C", "3D", "4H", "5S"], {}, "t2 is not empty"),
    ("t1>t4", ["2C", "3D", "4H", ""], {}, "only card of a pile may not move"),
    ("t1>t4x2", ["5C 4C 2C", "3D", "4H", ""], {}, "only one card moves at a time"),
    ("t1>t4", ["3C 2C", "3D", "4C", ""], {}, "2C on t1 must be discarded first"),
    ("stock>t", ["3C 2C", "3D", "4C", ""], {}, "2C on t1 must be discarded first"),
    ("stock>t", ["2C", "3D", "4H", "5S"], {}, "the stock is empty"),
    ("t1>t4", ["3C 2C", "3D", "4H", ""], {"variant": "aces-only"}, "only an ace may fill"),
    ("t1>t4", ["3C AC", "3D", "4H", ""], {"variant": "aces-stay"}, "may not be moved off"),
    ("t1>t4x2", ["5C 3C 4C", "3D", "4H", ""], {"variant": "runs"}, "is no run of one suit"),
    ("t1>t4x2", ["5C 3C 2D", "3S", "4H", ""], {"variant": "runs"}, "is no run of one suit"),
    ("t1>t4x5", ["5C 4C 2C", "3D", "4H", ""], {"variant": "runs"}, "has 3 cards, not 5"),
    ("t1>t4x0", ["5C 4C 2C", "3D", "4H", ""], {"variant": "runs"}, "not 0 to move"),
    ("stock>waste", ["2C", "3D", "4H", "5S"], {}, "no move of this game"),
    ("t5>out", ["2C", "3D", "4H", "5S"], {}, "no move of this game"),
]


@pytest.mark.parametrize(("move", "piles", "conditions", "reason"), ILLEGAL)
def test_the_referee_says_which_move_is_illegal_and_why(move, piles, conditions, reason):
    referee = table(piles, **conditions)
    before = [list(pile) for pile in referee.piles]
    with pytest.raises(IllegalMove, match=reason) as caught:
        referee.play(7, move)
    assert (caught.value.number, caught.value.move) == (7, move)
    assert referee.piles == before


LEGAL = [
    ("t1>t4", ["2C", "3D", "4H", ""], {"lone_moves": "yes"}),
    ("t1>t4", ["3C 2C", "3D", "4C", ""], {"discards": "optional"}),
    ("t1>t4", ["3C AC", "3D", "4H", ""], {"variant": "aces-only"}),
    ("t1>t4", ["AC", "3D", "4H", ""], {"variant": "aces-stay", "lone_moves": "yes"}),
    ("t1>t4x2", ["5C 4C 2C", "3D", "4H", ""], {"variant": "runs"}),
    ("t1>t4x3", ["5C 4C 2C", "3D", "4H", ""], {"variant": "runs"}),
    ("t1>t4", ["5C 4C 2C", "3D", "4H", ""], {"variant": "runs"}),
]


@pytest.mark.parametrize(("move", "piles", "conditions"), LEGAL)
def test_the_referee_lets_legal_moves_pass(move, piles, conditions):
    table(piles, **conditions).play(1, move)


def test_forced_fills_come_before_the_next_deal():
    stock = ["9C", "9D", "9H", "9S"]
    for piles, conditions, fault in [
        (["3C 2C", "3D", "4H", ""], {}, "t1 can fill it"),
        (["3C", "3D", "4H", ""], {}, None),
        (["3C", "3D", "4H", ""], {"lone_moves": "yes"}, None),
        (["3C 2C", "3D", "4H", ""], {"variant": "aces-only"}, None),
        (["3C AC", "3D", "4H", ""], {"variant": "aces-only"}, "t1 can fill it"),
        (["3C AC", "3D", "4H", ""], {"variant": "aces-stay"}, None),
    ]:
        referee = table(piles, fills="forced", **conditions)
        referee.stock = list(stock)
        if fault is None:
            referee.play(1, "stock>t")
        else:
            with pytest.raises(IllegalMove, match=fault):
                referee.play(1, "stock>t")
