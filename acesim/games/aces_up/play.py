"""Whole games of Aces Up, many at a time, compiled.

A game is short and every branch of it is hard to foretell, so games are played in step: ``LANES``
deals get their row of four together, and then short loops go over work lists, one of deals with
cards to discard, one of deals with an empty pile. Within a loop there is nothing to guess, and the
processor works on several deals at once. That took a game of ``tallest`` from some 490 ns, played
one after another, to 260 ns, beside 90 ns for the shuffle (2.75 GHz, one thread).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acesim import jit
from acesim.cards import Pack
from acesim.deals import DICE, POLICY_STREAM, shuffle, word
from acesim.games.aces_up.policies import DEPTH, choose, top_run
from acesim.games.aces_up.rules import (
    BELOW,
    BIT,
    CARD,
    FILLS,
    FORCED,
    PILES,
    ROUNDS,
    RUNS,
    VARIANT,
    beaten,
    deal_row,
    discard_one,
    empty_pile,
    move_cards,
    sources,
)

LANES = 64
BLIND_DISCARDS = 3
"""Discards that every lane makes after a deal before anyone looks whether there are more."""
NO_CARD = 255
"""What a user's policy sees where a pile has no card."""
BAD_CHOICE = 255
"""The score of a deal in which a user's policy chose a move that the rules forbid."""

_DICE = DICE[52]
_U0 = np.uint64(0)
_U1 = np.uint64(1)


@jit.inlined
def ask(
    own, seen, heights, legal, candidates, tops, tableau, piles, below, rules,
    stock, seed, index, draws, lane,
):  # fmt: skip
    """Return the choice of a user's policy, or -2 when the rules forbid it.

    Lays out the tableau in ``seen`` (uint8[4, 52]), ``heights`` and ``legal`` (int64[4]), as
    :func:`acesim.simulate` promises such a policy, and clears ``seen`` again.
    """
    base = lane * np.uint64(BELOW)
    for pile in range(PILES):
        one = tops & piles[lane, pile]
        height = 0
        while one != _U0:
            card = jit.trailing_zeros(one)
            seen[pile, height] = CARD[card]
            height += 1
            one = below[base + card]
        heights[pile] = height
        legal[pile] = candidates >> pile & 1
        if legal[pile] and rules[VARIANT] == RUNS:
            legal[pile] = top_run(pile, tops, tableau, piles, below, lane)
    chance = word(seed, index, POLICY_STREAM, draws[lane])
    draws[lane] += _U1
    choice = own(seen, heights, legal, stock, chance)
    for pile in range(PILES):
        for depth in range(heights[pile]):
            seen[pile, depth] = NO_CARD
    if choice < 0:
        return np.int64(-1)
    if choice // PILES >= legal[choice % PILES]:
        return np.int64(-2)
    return choice


@jit.inlined
def make_room():
    """Return the arrays that :func:`play_lanes` works in, rows for ``LANES`` deals.

    They are the packs (uint8[LANES, 52], bit numbers in deal order), the four parts of a position,
    the random words used, two work lists, room for a search, which deals saw a forbidden choice,
    and what a user's policy is shown.
    """
    return (
        np.zeros((LANES, 52), np.uint8),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros((LANES, PILES), np.uint64),
        np.zeros(LANES * BELOW, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros((2, LANES + 1), np.uint64),
        np.zeros((DEPTH, 5), np.uint64),
        np.zeros((DEPTH, 3), np.int64),
        np.zeros(LANES, np.uint8),
        np.full((PILES, 52), NO_CARD, np.uint8),
        np.zeros((2, PILES), np.int64),
    )


@jit.kernel
def play_lanes(count, seed, first, rules, policy, weights, own, room, scores, log):
    """Play the first ``count`` packs of ``room`` to the end and write scores (uint8[count]).

    Fills are written to ``log`` (int64[n, 2]: round, then ``source + 4 * target + 16 * cards``) as
    far as it has room; it is for one lane at a time. Returns how many were written.
    """
    pack = jit.borrowed(room[0])
    tops = jit.borrowed(room[1])
    tableau = jit.borrowed(room[2])
    piles = jit.borrowed(room[3])
    below = jit.borrowed(room[4])
    draws = jit.borrowed(room[5])
    busy = jit.borrowed(room[6][0])
    holes = jit.borrowed(room[6][1])
    sets = jit.borrowed(room[7])
    numbers = jit.borrowed(room[8])
    bad = jit.borrowed(room[9])
    seen = jit.borrowed(room[10])
    heights = jit.borrowed(room[11][0])
    legal = jit.borrowed(room[11][1])
    rules = jit.borrowed(rules)
    policy = jit.borrowed(policy)
    weights = jit.borrowed(weights)
    bad[:] = 0
    tops[:] = 0
    tableau[:] = 0
    piles[:] = 0
    draws[:] = 0
    logged = 0
    for turn in range(ROUNDS):
        for i in range(count):
            deal_row(np.uint64(i), pack, np.uint64(PILES * turn), tops, tableau, piles, below)
        for _ in range(BLIND_DISCARDS):
            for i in range(count):
                lane = np.uint64(i)
                tops[lane], card = discard_one(tops[lane], below, lane * np.uint64(BELOW))
                tableau[lane] ^= card
        n_busy = _U0
        n_holes = _U0
        for i in range(count):
            lane = np.uint64(i)
            more = _U1 if beaten(tops[lane]) != _U0 else _U0
            hole = _U1 if jit.ones(tops[lane]) < np.uint64(PILES) else _U0
            busy[n_busy] = lane
            n_busy += more
            holes[n_holes] = lane
            n_holes += hole & ~more
        while n_busy + n_holes > _U0:
            fillable = np.int64(n_holes)
            n_holes = _U0
            for i in range(fillable):
                lane = holes[np.uint64(i)]
                top = tops[lane]
                candidates = sources(top, tableau[lane], piles, lane, rules[VARIANT])
                if candidates == 0:
                    continue
                if own is None:
                    choice = choose(
                        candidates, top, tableau[lane], piles, below, rules, policy, weights,
                        seed, first + lane, draws, sets, numbers, lane,
                    )  # fmt: skip
                else:
                    choice = ask(
                        own, seen, heights, legal, candidates, top, tableau[lane], piles, below,
                        rules, 52 - PILES * (turn + 1), seed, first + lane, draws, lane,
                    )  # fmt: skip
                    if choice == -2:
                        bad[lane] = 1
                        choice = -1
                if choice < 0:
                    if rules[FILLS] != FORCED:
                        continue
                    choice = np.int64(jit.trailing_zeros(np.uint64(candidates)))
                source = choice % PILES
                target = empty_pile(top, piles, lane)
                cards = choice // PILES + 1
                tops[lane] = move_cards(lane, top, source, target, cards, piles, below)[0]
                busy[n_busy] = lane
                n_busy += _U1
                if logged < log.shape[0]:
                    log[logged, 0] = turn
                    log[logged, 1] = source + PILES * target + 16 * cards
                    logged += 1
            unsettled = np.int64(n_busy)
            n_busy = _U0
            for i in range(unsettled):
                lane = busy[np.uint64(i)]
                top, card = discard_one(tops[lane], below, lane * np.uint64(BELOW))
                top, other = discard_one(top, below, lane * np.uint64(BELOW))
                tops[lane] = top
                tableau[lane] ^= card ^ other
                more = _U1 if beaten(top) != _U0 else _U0
                hole = _U1 if jit.ones(top) < np.uint64(PILES) else _U0
                busy[n_busy] = lane
                n_busy += more
                holes[n_holes] = lane
                n_holes += hole & ~more
    for i in range(count):
        scores[i] = 52 - jit.ones(tableau[i])
        if bad[i]:
            scores[i] = BAD_CHOICE
    return logged


@jit.kernel
def play_block(seed, first, count, rules, policy, weights, scores, own=None):
    """Play deals ``first`` … ``first + count - 1`` of ``seed`` and fill ``scores`` (uint8[count]).

    ``seed`` and ``first`` are uint64, ``count`` int64, ``rules`` int64[4], ``policy``
    int64[rows, 6], ``weights`` float64[8]. ``own`` is None, or a pointer to a user's policy that
    chooses in place of ``policy``; a deal in which it chose a forbidden move scores 255.
    """
    room = make_room()
    no_log = np.zeros((0, 2), np.int64)
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        here = first + np.uint64(start)
        for lane in range(lanes):
            room[0][lane] = BIT
            shuffle(seed, here + np.uint64(lane), _DICE, room[0][lane])
        play_lanes(
            lanes, seed, here, rules, policy, weights, own, room,
            scores[start : start + lanes], no_log,
        )  # fmt: skip


@jit.kernel
def play_pack(cards, seed, index, rules, policy, weights, log, own=None):
    """Play one pack (uint8[52], card codes) and return its score and the fills in ``log``."""
    room = make_room()
    for position in range(52):
        room[0][0, position] = BIT[cards[position]]
    scores = np.zeros(1, np.uint8)
    logged = play_lanes(1, seed, index, rules, policy, weights, own, room, scores, log)
    return scores[0], logged


def trace(
    pack: Pack, rules: Any, policy: Any, weights: Any, seed: int, index: int, own: Any = None
) -> list[str]:
    """Return the moves of one game in notation, and with them every deal and discard.

    ``pack`` is uint8[52] in deal order. ``seed`` and ``index`` name the deal's random stream, for
    policies that toss coins. The fills are the kernel's own; between them there is no choice.
    """
    log = np.zeros((ROUNDS * DEPTH, 2), np.int64)
    call = (pack, np.uint64(seed), np.uint64(index), rules, policy, weights, log)
    with jit.first_use(("aces-up trace", own is None)):
        _, logged = play_pack(*call) if own is None else play_pack(*call, own)
    fills: list[list[str]] = [[] for _ in range(ROUNDS)]
    moved: list[list[tuple[int, int, int]]] = [[] for _ in range(ROUNDS)]
    for turn, code in log[:logged].tolist():
        source, target, cards = code % PILES, code // PILES % PILES, code // 16
        moved[turn].append((source, target, cards))
        fills[turn].append(f"t{source + 1}>t{target + 1}" + (f"x{cards}" if cards > 1 else ""))
    bits = BIT[pack].tolist()
    piles: list[list[int]] = [[] for _ in range(PILES)]
    moves: list[str] = []

    def discard() -> None:
        beaten_one = True
        while beaten_one:
            beaten_one = False
            highest: dict[int, int] = {}
            for pile in piles:
                if pile:
                    top = pile[-1]
                    highest[top >> 4] = min(top, highest.get(top >> 4, top))
            for number, pile in enumerate(piles, start=1):
                if pile and pile[-1] > highest[pile[-1] >> 4]:
                    pile.pop()
                    moves.append(f"t{number}>out")
                    beaten_one = True

    for turn in range(ROUNDS):
        moves.append("stock>t")
        for number in range(PILES):
            piles[number].append(bits[PILES * turn + number])
        discard()
        for fill, (source, target, cards) in zip(fills[turn], moved[turn], strict=True):
            moves.append(fill)
            piles[target].extend(piles[source][-cards:])
            del piles[source][-cards:]
            discard()
    return moves
