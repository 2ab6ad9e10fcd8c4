"""Positions and legal moves of Aces Up, compiled.

**Sets of cards.** A card is one bit of a uint64: each suit has 16 bits of its own, and in them the
ace is the lowest bit, the king the next, the two the thirteenth. In that order the cards of a set
that a higher card of their suit beats are all but the lowest bit of each 16, which three
instructions find for all four suits at once (:func:`beaten`).

**A position** is four things, each an array with a row for every deal that is being played:

``tops`` (uint64)
    the top cards of the four piles, as a set.
``tableau`` (uint64)
    all cards on the tableau, as a set.
``piles`` (uint64[4])
    for each pile a set that holds its cards; it may also hold cards that have been discarded since,
    so the top of pile p is ``tops & piles[p]`` and its height the size of ``tableau & piles[p]``.
``below`` (uint64[65])
    for each card, by its bit number, the card directly below it as a set of one; empty for the
    bottom card of a pile. Entry 64 stays empty: it stands for "no card", whose bit number that is.

A discard thus needs no pile to be looked for: the beaten top leaves ``tops`` and the card below it
joins. Rows of ``below`` lie one after another in one flat array; ``base`` is where a row starts.

All sets and bit numbers are uint64; counts and pile numbers that are compared are int64.
"""

from __future__ import annotations

import numpy as np

from acesim import jit

PILES = 4
ROUNDS = 13
BELOW = 65
"""Entries of a deal's row of ``below``."""

# Positions in a rules array (int64[4]), in the order of the Game's variants and switches.
VARIANT, LONE_MOVES, FILLS, DISCARDS = 0, 1, 2, 3
STANDARD, ACES_ONLY, RUNS, ACES_STAY = 0, 1, 2, 3
OPTIONAL, FORCED = 0, 1

BIT = np.array([16 * suit + (13 - rank) % 13 for suit in range(4) for rank in range(13)], np.uint8)
"""The bit number of each card code (uint8[52])."""

CARD = np.zeros(64, np.uint8)
CARD[BIT] = np.arange(52)
"""The card code of each bit number (uint8[64]); 0 at bits that stand for no card."""

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U15 = np.uint64(15)
_LOWEST_BITS = np.uint64(0x0001_0001_0001_0001)
_HIGHEST_BITS = np.uint64(0x8000_8000_8000_8000)
ACES = _LOWEST_BITS


@jit.inlined
def lowest(cards):
    """Return the lowest card of a set as a set of one; the empty set of the empty set."""
    return cards ^ (cards & (cards - _U1))


@jit.inlined
def beaten(tops):
    """Return the cards of a set for which it holds a higher card of their suit.

    Subtracting one from each suit's 16 bits, with a one in front to borrow from, clears the lowest
    bit in the conjunction: what stays is all but the highest card of each suit.
    """
    return tops & ((tops | _HIGHEST_BITS) - _LOWEST_BITS)


@jit.inlined
def rank_value(card):
    """Return the rank of a bit number as the game counts it: int64, 2 to 14, aces 14."""
    return 14 - np.int64(card & _U15)


@jit.inlined
def discard_one(tops, below, base):
    """Discard one beaten top, if there is one; return the new tops and the card that left."""
    out = beaten(tops)
    card = lowest(out)
    return (tops ^ card) | below[base + jit.trailing_zeros(out)], card


@jit.inlined
def discard_all(tops, tableau, below, base):
    """Make all available discards, which end in one tableau in whatever order they are made.

    Returns the new tops and the new tableau.
    """
    while beaten(tops) != _U0:
        tops, card = discard_one(tops, below, base)
        tableau ^= card
    return tops, tableau


@jit.inlined
def deal_row(lane, pack, at, tops, tableau, piles, below):
    """Deal cards ``at`` … ``at + 3`` of the pack (uint8[lanes, 52], bit numbers) to the piles."""
    base = lane * np.uint64(BELOW)
    before = tops[lane]
    dealt = _U0
    for pile in range(PILES):
        card = np.uint64(pack[lane, at + np.uint64(pile)])
        one = _U1 << card
        below[base + card] = before & piles[lane, pile]
        piles[lane, pile] |= one
        dealt |= one
    tops[lane] = dealt
    tableau[lane] |= dealt


@jit.kernel
def run_length(card, height, below, base):
    """Return how many cards of a pile's top run may move and leave a card behind (int64).

    ``card`` is the bit number of the top, ``height`` the size of the pile. A run is cards of one
    suit, each lower than the one under it.
    """
    length = 1
    while length < height - 1:
        under = jit.trailing_zeros(below[base + card])
        if under >> np.uint64(4) != card >> np.uint64(4) or under > card:
            break
        card = under
        length += 1
    return length


@jit.inlined
def sources(tops, tableau, piles, lane, variant):
    """Return the piles that may fill an empty one, as bits 0 to 3 of an int64.

    The only card of a pile is left out, whatever the rules say: without sight of the stock, moving
    it changes nothing but the names of the piles.
    """
    movable = tops
    if variant == ACES_ONLY:
        movable = tops & ACES
    elif variant == ACES_STAY:
        movable = tops & ~ACES
    result = 0
    for pile in range(PILES):
        cards = tableau & piles[lane, pile]
        several = (cards & (cards - _U1)) != _U0
        result |= np.int64(several & ((cards & movable) != _U0)) << pile
    return result


@jit.inlined
def empty_pile(tops, piles, lane):
    """Return the leftmost empty pile (int64); there must be one."""
    empty = 8
    for pile in range(PILES - 1):
        # No branches: which pile is empty is beyond any processor's guess.
        empty |= np.int64(tops & piles[lane, pile] == _U0) << pile
    return np.int64(jit.trailing_zeros(np.uint64(empty)))


@jit.inlined
def move_cards(lane, tops, source, target, cards, piles, below):
    """Move the top ``cards`` cards of pile ``source`` to the empty pile ``target``, as a unit.

    Changes ``piles`` and ``below``. Returns the new tops, and what :func:`unmove_cards` needs: the
    moved set, the place in ``below`` of its deepest card, and what stood there.
    """
    base = lane * np.uint64(BELOW)
    moved = tops & piles[lane, source]
    place = base + jit.trailing_zeros(moved)
    for _ in range(cards - 1):
        one = below[place]
        moved |= one
        place = base + jit.trailing_zeros(one)
    under = below[place]
    below[place] = _U0
    piles[lane, source] ^= moved
    piles[lane, target] |= moved
    return tops | under, moved, place, under


@jit.inlined
def unmove_cards(lane, source, target, moved, place, under, piles, below):
    """Take back what :func:`move_cards` did to ``piles`` and ``below``."""
    below[place] = under
    piles[lane, source] |= moved
    piles[lane, target] ^= moved
