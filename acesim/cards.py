"""Card codes and their text.

A card is a small integer, ``13 * suit + rank``, with suits in the order ``CDHS`` and ranks in the
order ``A23456789TJQK``, both from 0. A pack is a uint8 array of codes in deal order; a pack of two
decks holds every code twice.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from acesim.errors import InputError

RANKS = "A23456789TJQK"
SUITS = "CDHS"
DECK = 52

Pack = npt.NDArray[np.uint8]


def rank(card: int) -> int:
    """Return the rank of a card code: 0 for an ace, 1 for a two … 12 for a king."""
    return card % 13


def suit(card: int) -> int:
    """Return the suit of a card code: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card // 13


def card_text(card: int) -> str:
    """Return a card's two letters, rank then suit: ``card_text(9)`` is ``"TC"``."""
    return RANKS[rank(int(card))] + SUITS[suit(int(card))]


def parse_card(text: str) -> int:
    """Return the code of a card: ``TH``, ``10H`` and ``th`` are the ten of hearts.

    Raises InputError for anything else.
    """
    letters = text.strip().upper()
    short = letters.replace("10", "T", 1)
    if len(short) != 2 or short[0] not in RANKS or short[1] not in SUITS:
        raise InputError(
            f"{text!r} is not a card: write a rank ({RANKS}, or 10) and a suit ({SUITS}), as in TH"
        )
    return 13 * SUITS.index(short[1]) + RANKS.index(short[0])


def pack_text(pack: Iterable[int]) -> str:
    """Return a pack as its cards in deal order, separated by blanks."""
    return " ".join(card_text(card) for card in pack)


def parse_pack(text: str, decks: int = 1) -> Pack:
    """Return the pack (uint8[52 * decks]) written in ``text``, cards separated by white space.

    Raises InputError when a card can't be read or the pack isn't ``decks`` whole decks.
    """
    pack = np.array([parse_card(word) for word in text.split()], dtype=np.uint8)
    check_pack(pack, decks)
    return pack


def check_pack(pack: Pack, decks: int = 1) -> None:
    """Raise InputError unless ``pack`` holds every card of ``decks`` decks, and no other."""
    if len(pack) != DECK * decks:
        raise InputError(f"a pack of {len(pack)} cards, where {DECK * decks} are needed")
    counts = np.bincount(pack, minlength=DECK)
    for card in np.flatnonzero(counts != decks):
        raise InputError(
            f"{card_text(int(card))} is in the pack {counts[card]} times, where {decks} is right"
        )
