"""How a player who can't see the stock chooses which pile fills an empty one, compiled.

A policy is data: rows of small integers (int64[rows, WIDTH]) and weights (float64[WEIGHTS]), so
no policy compiles anything when it is used. Three kinds of choice serve all of them:

* ``NEVER`` leaves every empty pile empty.
* ``RULE``: a rule names a pile, or none. Rows are tried in order and the first that names a pile
  moves. A row says which piles it admits (``ADMIT``, flags), which of two looks ahead it takes
  (``LOOK``), by what it ranks the admitted piles (``HEIGHT`` and ``RANK``, factors of -1, 0 or 1
  for the size of the pile and the rank of its top), and what breaks ties (``TIES``).
* ``SEARCH``: all sequences of fills before the next deal, the end of each judged by the weights.

The fill goes to the leftmost empty pile: which one it is can't matter to a player who doesn't know
what the next deal brings. All available discards are made before and after each fill.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acesim import jit
from acesim.deals import POLICY_STREAM, word
from acesim.game import Choice, EncodedPolicy, Item, Number, PolicyFamily
from acesim.games.aces_up.rules import (
    ACES,
    BELOW,
    FILLS,
    OPTIONAL,
    PILES,
    RUNS,
    VARIANT,
    beaten,
    discard_all,
    empty_pile,
    move_cards,
    rank_value,
    run_length,
    sources,
    unmove_cards,
)

# Columns of a policy's row.
KIND, ADMIT, LOOK, HEIGHT, RANK, TIES = 0, 1, 2, 3, 4, 5
WIDTH = 6
NEVER, RULE, SEARCH = 0, 1, 2

# Flags of ADMIT, applied in this order.
SUIT_BELOW = 1  # the card directly below the top has its suit
HIGHER_BELOW = 2  # … and is higher
LOWER_BELOW = 4  # … and is lower
ACE = 8  # the top is an ace
LARGEST_OF_ALL = 16  # the pile's rank sum is the largest of all four piles
LARGEST_SUM = 32  # of the piles admitted so far, those with the largest rank sum
SMALLEST = 64  # … with the fewest cards
LARGEST = 128  # … with the most cards

NO_LOOK, ANY_DISCARD, MOST_DISCARDS = 0, 1, 2
LEFTMOST, RIGHTMOST, AT_RANDOM = 0, 1, 2

# Columns of the weights. MUST_FILL is a flag: not 0 if a sequence may not stop while a fill is
# possible.
PER_DISCARD, PER_FILL, PER_BOTTOM_ACE, PER_BURIED_ACE = 0, 1, 2, 3
PER_SINGLE_RANK, PER_EMPTY, WHEN_HOPELESS, MUST_FILL = 4, 5, 6, 7
WEIGHTS = 8

DEPTH = 64
"""Most fills in a row before a deal: each takes an empty pile, and a discard has to empty another,
so there are at most 3 + 48."""

_U0 = np.uint64(0)
_U1 = np.uint64(1)


@jit.kernel
def random_below(bound, seed, index, draws, lane):
    """Return a fair integer from 0 to ``bound - 1`` (uint64) from the deal's policy stream.

    ``draws[lane]`` (uint64) counts the words of the stream that the deal has used. Multiply and
    shift, with rejection (Lemire, "Fast random integer generation in an interval", 2019).
    """
    least = (_U0 - bound) % bound
    while True:
        random = word(seed, index, POLICY_STREAM, draws[lane])
        draws[lane] += _U1
        if random * bound >= least:
            return jit.multiply_high(random, bound)


@jit.kernel
def rank_sum(cards):
    """Return the sum of the rank values, 2 to 14, of a set of cards (int64)."""
    total = 0
    while cards != _U0:
        total += rank_value(jit.trailing_zeros(cards))
        cards &= cards - _U1
    return total


@jit.kernel
def size(admit, cards):
    """Return the size of a pile (a set of cards) by which the flags choose, largest first."""
    if admit & (LARGEST_OF_ALL | LARGEST_SUM):
        return rank_sum(cards)
    height = np.int64(jit.ones(cards))
    return height if admit & LARGEST else -height


@jit.kernel
def admitted(admit, candidates, tops, tableau, piles, below, lane):
    """Return those of the piles ``candidates`` (bits of an int64) that the flags admit."""
    base = lane * np.uint64(BELOW)
    if admit & (SUIT_BELOW | HIGHER_BELOW | LOWER_BELOW):
        for pile in range(PILES):
            card = jit.trailing_zeros(tops & piles[lane, pile])
            under = jit.trailing_zeros(below[base + card])
            same = under >> np.uint64(4) == card >> np.uint64(4)
            if not same or (
                (admit & HIGHER_BELOW and under > card) or (admit & LOWER_BELOW and under < card)
            ):
                candidates &= ~(1 << pile)
    if admit & ACE:
        for pile in range(PILES):
            if tops & piles[lane, pile] & ACES == _U0:
                candidates &= ~(1 << pile)
    if admit & (LARGEST_OF_ALL | LARGEST_SUM | SMALLEST | LARGEST):
        best = -BELOW
        for pile in range(PILES):
            if candidates >> pile & 1 or admit & LARGEST_OF_ALL:
                best = max(best, size(admit, tableau & piles[lane, pile]))
        for pile in range(PILES):
            if size(admit, tableau & piles[lane, pile]) < best:
                candidates &= ~(1 << pile)
    return candidates


@jit.inlined
def discards_after(look, source, cards, tops, tableau, piles, below, lane):
    """Return how many discards a fill brings at once (int64): 0 or 1 for ``ANY_DISCARD``."""
    target = empty_pile(tops, piles, lane)
    after, moved, place, under = move_cards(lane, tops, source, target, cards, piles, below)
    if look == ANY_DISCARD:
        gain = np.int64(beaten(after) != _U0)
    else:
        left = discard_all(after, tableau, below, lane * np.uint64(BELOW))[1]
        gain = np.int64(jit.ones(tableau)) - np.int64(jit.ones(left))
    unmove_cards(lane, source, target, moved, place, under, piles, below)
    return gain


@jit.inlined
def top_run(pile, tops, tableau, piles, below, lane):
    """Return the length of the run (int64) at the top of ``pile`` that leaves a card behind."""
    height = np.int64(jit.ones(tableau & piles[lane, pile]))
    card = jit.trailing_zeros(tops & piles[lane, pile])
    return run_length(card, height, below, lane * np.uint64(BELOW))


@jit.inlined
def by_rule(policy, row, candidates, tops, tableau, piles, below, rules, seed, index, draws, lane):
    """Return the fill that rule ``row`` of a policy names, as a choice, or -1 when it names none.

    A choice is ``pile + 4 * (cards - 1)``. Where runs move, a rule that doesn't look ahead takes
    the longest run of its pile that leaves a card behind; one that does compares all its parts.
    """
    admit = policy[row, ADMIT]
    look = policy[row, LOOK]
    per_height = policy[row, HEIGHT]
    per_rank = policy[row, RANK]
    left = np.int64(policy[row, TIES] == LEFTMOST)
    right = np.int64(policy[row, TIES] == RIGHTMOST)
    toss = policy[row, TIES] == AT_RANDOM
    runs = rules[VARIANT] == RUNS
    plain = not (runs or look or toss)
    if admit:
        candidates = admitted(admit, candidates, tops, tableau, piles, below, lane)
    best = 0
    choice = -1
    ties = _U0
    for pile in range(PILES):
        height = np.int64(jit.ones(tableau & piles[lane, pile]))
        rank = rank_value(jit.trailing_zeros(tops & piles[lane, pile]))
        # Above 0 for every pile; times four, so that the side decides between equals only.
        value = PILES * (64 + per_height * height + per_rank * rank)
        value += left * (PILES - 1 - pile) + right * pile
        value *= candidates >> pile & 1
        if plain:
            choice = pile if value > best else choice
            best = max(value, best)
            continue
        if value == 0:
            continue
        unit = top_run(pile, tops, tableau, piles, below, lane) if runs else 1
        shortest = 1 if look else unit
        for cards in range(unit, shortest - 1, -1):
            total = value
            if look:
                total += 512 * discards_after(look, pile, cards, tops, tableau, piles, below, lane)
            take = total > best
            if toss and total >= best:
                ties = ties + _U1 if total == best else _U1
                # Reservoir sampling: each of the tied is kept with equal chance.
                take = ties == _U1 or random_below(ties, seed, index, draws, lane) == _U0
            if take:
                best = total
                choice = pile + PILES * (cards - 1)
    return choice


@jit.kernel
def judge(tableau, piles, below, lane, weights):
    """Return what the tableau at the end of a sequence is worth by its cards (float64)."""
    base = lane * np.uint64(BELOW)
    value = 0.0
    with_ace = 0
    buried = 0
    for pile in range(PILES):
        cards = tableau & piles[lane, pile]
        height = jit.ones(cards)
        if height == _U0:
            value += weights[PER_EMPTY]
        if height == _U1:
            value += weights[PER_SINGLE_RANK] * np.float64(rank_value(jit.trailing_zeros(cards)))
        aces = cards & ACES
        with_ace += np.int64(aces != _U0)
        while aces != _U0:
            if below[base + jit.trailing_zeros(aces)] == _U0:
                value += weights[PER_BOTTOM_ACE]
            else:
                value += weights[PER_BURIED_ACE]
                buried += 1
            aces &= aces - _U1
    # With an ace in each pile no pile can be emptied any more, so that none of the aces can move.
    if with_ace == PILES and buried > 0:
        value += weights[WHEN_HOPELESS]
    return value


@jit.kernel
def search(tops, tableau, piles, below, rules, weights, sets, numbers, lane):
    """Return the first fill of the best sequence before the next deal, as a choice, or -1.

    Depth first over all sequences, piles from left to right and shorter runs before longer ones;
    the first of equally good ends is taken, and filling is tried before stopping, so that of two
    equal ends the one with the fill wins. ``sets`` (uint64[DEPTH, 5]) and ``numbers``
    (int64[DEPTH, 3]) are room for the stack.
    """
    best = -np.inf
    choice = -1
    depth = 0
    start = np.int64(jit.ones(tableau))
    sets[0, 0] = tops
    sets[0, 1] = tableau
    numbers[0, 0] = -1  # the choice tried last
    while depth >= 0:
        tops = sets[depth, 0]
        tableau = sets[depth, 1]
        may_fill = 0
        if jit.ones(tops) < np.uint64(PILES):
            may_fill = sources(tops, tableau, piles, lane, rules[VARIANT])
        attempt = numbers[depth, 0] + 1
        if may_fill:
            while attempt < PILES * 12:
                if may_fill >> (attempt % PILES) & 1:
                    if attempt < PILES:
                        break
                    if rules[VARIANT] == RUNS and attempt // PILES < top_run(
                        attempt % PILES, tops, tableau, piles, below, lane
                    ):
                        break
                attempt += 1
        if may_fill and attempt < PILES * 12:
            numbers[depth, 0] = attempt
            source = attempt % PILES
            target = empty_pile(tops, piles, lane)
            after, moved, place, under = move_cards(
                lane, tops, source, target, attempt // PILES + 1, piles, below
            )
            after, left = discard_all(after, tableau, below, lane * np.uint64(BELOW))
            depth += 1
            sets[depth, 0] = after
            sets[depth, 1] = left
            sets[depth, 2] = moved
            sets[depth, 3] = place
            sets[depth, 4] = under
            numbers[depth, 0] = -1
            numbers[depth, 1] = source
            numbers[depth, 2] = target
            continue
        if not may_fill or (weights[MUST_FILL] == 0.0 and rules[FILLS] == OPTIONAL):
            value = (
                weights[PER_DISCARD] * (start - np.int64(jit.ones(tableau)))
                + weights[PER_FILL] * depth
                + judge(tableau, piles, below, lane, weights)
            )
            if value > best:
                best = value
                choice = numbers[0, 0] if depth > 0 else -1
        if depth > 0:
            unmove_cards(
                lane, numbers[depth, 1], numbers[depth, 2],
                sets[depth, 2], sets[depth, 3], sets[depth, 4], piles, below,
            )  # fmt: skip
        depth -= 1
    return choice


@jit.inlined
def choose(
    candidates, tops, tableau, piles, below, rules, policy, weights,
    seed, index, draws, sets, numbers, lane,
):  # fmt: skip
    """Return the policy's fill as a choice, ``pile + 4 * (cards - 1)``, or -1 to leave it empty.

    ``candidates`` are the piles that may fill (bits of an int64, not 0).
    """
    if policy[0, KIND] == NEVER:
        return -1
    if policy[0, KIND] == SEARCH:
        return search(tops, tableau, piles, below, rules, weights, sets, numbers, lane)
    for row in range(policy.shape[0]):
        choice = by_rule(
            policy, row, candidates, tops, tableau, piles, below, rules, seed, index, draws, lane
        )
        if choice >= 0:
            return choice
    return -1


def _row(
    kind: int = RULE,
    admit: int = 0,
    look: int = NO_LOOK,
    key: tuple[int, int] = (0, 0),
    ties: int = LEFTMOST,
) -> list[int]:
    return [kind, admit, look, *key, ties]


def _encode(rows: list[list[int]], weights: Mapping[int, float] | None = None) -> EncodedPolicy:
    vector = np.zeros(WEIGHTS)
    for column, weight in (weights or {}).items():
        vector[column] = weight
    return EncodedPolicy(np.array(rows, dtype=np.int64).reshape(-1, WIDTH), vector)


TALLEST, SHORTEST, HIGHEST, LOWEST = (1, 0), (-1, 0), (0, 1), (0, -1)
_KEYS = {"tallest": TALLEST, "shortest": SHORTEST, "highest": HIGHEST, "lowest": LOWEST}
_SIDES = {"leftmost": LEFTMOST, "rightmost": RIGHTMOST, "random": AT_RANDOM}
_TIES = Choice(
    "ties",
    (*_SIDES, *_KEYS),
    "which of equally good piles: at the left, at the right, at random, or the tallest pile, the "
    "shortest, the highest or the lowest top (and of these the leftmost)",
)
_SIDE = Choice("ties", tuple(_SIDES), "which of equally good piles: at the left, right, at random")


def _simple(key: tuple[int, int]) -> Any:
    return lambda values: _encode([_row(key=key, ties=_SIDES[values["ties"]])])


def _looking(look: int) -> Any:
    def encode(values: Mapping[str, str]) -> EncodedPolicy:
        ties = values["ties"]
        return _encode([_row(look=look, key=_KEYS.get(ties, (0, 0)), ties=_SIDES.get(ties, 0))])

    return encode


PRIORITY_RULES: dict[str, tuple[str, str, list[int]]] = {
    "0": ("highest", "the highest top card", _row(key=HIGHEST)),
    "1": (
        "highest-on-suit",
        "the highest top card that lies directly on a card of its suit",
        _row(admit=SUIT_BELOW, key=HIGHEST),
    ),
    "10": (
        "lowest-on-suit",
        "the lowest top card that lies directly on a card of its suit",
        _row(admit=SUIT_BELOW, key=LOWEST),
    ),
    "100": (
        "ace-on-suit",
        "the first ace that lies directly on a card of its suit",
        _row(admit=SUIT_BELOW | ACE),
    ),
    "2": (
        "highest-of-largest-sum",
        "the highest top card of the piles whose rank sum is the largest of all four",
        _row(admit=LARGEST_OF_ALL, key=HIGHEST),
    ),
    "20": (
        "lowest-of-largest-sum",
        "the lowest top card of the piles whose rank sum is the largest of all four",
        _row(admit=LARGEST_OF_ALL, key=LOWEST),
    ),
    "3": (
        "highest-of-smallest",
        "the highest top card of the smallest piles that can be moved from",
        _row(admit=SMALLEST, key=HIGHEST),
    ),
    "30": (
        "lowest-of-smallest",
        "the lowest top card of the smallest piles that can be moved from",
        _row(admit=SMALLEST, key=LOWEST),
    ),
    "4": (
        "highest-of-largest",
        "the highest top card of the largest piles",
        _row(admit=LARGEST, key=HIGHEST),
    ),
    "40": (
        "lowest-of-largest",
        "the lowest top card of the largest piles",
        _row(admit=LARGEST, key=LOWEST),
    ),
    "200": (
        "ace-of-largest-sum",
        "an ace from the pile of largest rank sum among those with an ace on top",
        _row(admit=ACE | LARGEST_SUM),
    ),
    "300": (
        "ace-of-smallest",
        "an ace from the smallest pile among those with an ace on top",
        _row(admit=ACE | SMALLEST),
    ),
    "400": (
        "ace-of-largest",
        "an ace from the largest pile among those with an ace on top",
        _row(admit=ACE | LARGEST),
    ),
    "800": (
        "smallest-on-higher",
        "from the smallest pile whose top lies directly on a higher card of its suit",
        _row(admit=HIGHER_BELOW | SMALLEST),
    ),
    "810": (
        "smallest-on-lower",
        "from the smallest pile whose top lies directly on a lower card of its suit",
        _row(admit=LOWER_BELOW | SMALLEST),
    ),
    "900": (
        "largest-on-higher",
        "from the largest pile whose top lies directly on a higher card of its suit",
        _row(admit=HIGHER_BELOW | LARGEST),
    ),
    "910": (
        "largest-on-lower",
        "from the largest pile whose top lies directly on a lower card of its suit",
        _row(admit=LOWER_BELOW | LARGEST),
    ),
    "1000": ("random", "a pile at random", _row(ties=AT_RANDOM)),
}
"""The rules of the ``priority`` policy by code: readable name, what it moves, and its row.

The codes are those of the program whose published counts they reproduce (henrikenquist/aces-up on
GitHub). A rule's ties go to the leftmost pile.
"""


_SEARCH_KEYS = {
    "discards": PER_DISCARD,
    "fills": PER_FILL,
    "bottom-aces": PER_BOTTOM_ACE,
    "buried-aces": PER_BURIED_ACE,
    "singles": PER_SINGLE_RANK,
    "empty": PER_EMPTY,
    "hopeless": WHEN_HOPELESS,
}


def _search(values: Mapping[str, Any]) -> EncodedPolicy:
    weights = {column: float(values[name]) for name, column in _SEARCH_KEYS.items()}
    weights[MUST_FILL] = float(values["stop"] == "no")
    return _encode([_row(SEARCH)], weights)


FAMILIES = (
    PolicyFamily("never", "never fills an empty pile", lambda _: _encode([_row(NEVER)])),
    PolicyFamily("first", "the leftmost pile", lambda _: _encode([_row()])),
    PolicyFamily("random", "a pile at random", lambda _: _encode([_row(ties=AT_RANDOM)])),
    PolicyFamily("tallest", "the pile with the most cards", _simple(TALLEST), (_SIDE,)),
    PolicyFamily("highest", "the highest top card", _simple(HIGHEST), (_SIDE,)),
    PolicyFamily("lowest", "the lowest top card", _simple(LOWEST), (_SIDE,)),
    PolicyFamily(
        "any-discard",
        "a fill after which at least one card can be discarded at once, else any",
        _looking(ANY_DISCARD),
        (_TIES,),
    ),
    PolicyFamily(
        "most-discards",
        "the fill that brings the most discards at once",
        _looking(MOST_DISCARDS),
        (_TIES,),
    ),
    PolicyFamily(
        "most-before-deal",
        "all sequences of fills before the next deal, the one with the most discards; of equal "
        "ones the first, trying piles from the left, and filling before stopping",
        lambda _: _encode([_row(SEARCH)], {PER_DISCARD: 1.0}),
    ),
    PolicyFamily(
        "search",
        "all sequences of fills before the next deal, the one with the best weighted sum; of "
        "equal ones the first, as in most-before-deal",
        _search,
        (
            Number("discards", 1.0, "weight of each discard made"),
            Number("fills", 0.0, "weight of each fill made"),
            Number("bottom-aces", 0.0, "weight of each ace at the bottom of a pile"),
            Number("buried-aces", 0.0, "weight of each ace on other cards"),
            Number("singles", 0.0, "weight of the rank, 2 to 14, of each pile's only card"),
            Number("empty", 0.0, "weight of each empty pile"),
            Number("hopeless", 0.0, "weight of an ace in each pile, and not each at the bottom"),
            Choice("stop", ("yes", "no"), "whether a sequence may stop where a fill is possible"),
        ),
    ),
    PolicyFamily(
        "priority",
        "a list of rules, tried in order after each discard; the first that names a pile moves",
        lambda codes: _encode([PRIORITY_RULES[code][2] for code in codes]),
        items={name: Item(code, summary) for code, (name, summary, _) in PRIORITY_RULES.items()},
    ),
)
