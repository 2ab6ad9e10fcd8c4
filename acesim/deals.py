"""From ``(seed, index)`` to a pack: the same pair is the same pack, on every machine, for ever.

Random words come from Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
easy as 1, 2, 3", SC 2011), a counter-based generator: word 4 b + w of a deal's stream is word w of
the block with key ``(seed, stream)`` and counter ``(b, index, 0, 0)``. Nothing has to be drawn
before it, so any deal can be made on its own. Stream 0 shuffles the pack; stream 1 is for policies
that toss coins.

The shuffle is Fisher and Yates's, forward. Its dice are thrown several from one word, without bias
(Brackett-Rozinsky and Lemire, "Batched ranged random integer generation", 2024): multiply the word
by the first bound, the high half is a die, multiply the low half by the next bound, and so on; the
word is thrown away when the last low half is below 2^64 modulo the product of the bounds. Four
words shuffle 52 cards; about one pack in fifty needs a fifth.

Changing anything here changes packs, and with them every result: ``PACKS_VERSION`` and the golden
packs of the tests hold it in place.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from acesim import jit
from acesim.cards import DECK, Pack
from acesim.errors import InputError

PACKS_VERSION = 1
"""Changes when the same ``(seed, index)`` begins to give another pack."""

INDEX_END = 2**64
"""Seeds and indices are at least 0 and less than this."""

PACK_STREAM = np.uint64(0)
POLICY_STREAM = np.uint64(1)

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U2 = np.uint64(2)
_U3 = np.uint64(3)
_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1 = np.uint64(0xBB67AE8584CAA73B)


@jit.inlined
def philox(c0, c1, c2, c3, k0, k1):
    """Return the four uint64 words of Philox4x64-10 for counter (c0…c3) and key (k0, k1)."""
    for _ in range(10):
        high0 = jit.multiply_high(_MULTIPLIER_0, c0)
        low0 = _MULTIPLIER_0 * c0
        high1 = jit.multiply_high(_MULTIPLIER_1, c2)
        low1 = _MULTIPLIER_1 * c2
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0 = k0 + _WEYL_0
        k1 = k1 + _WEYL_1
    return c0, c1, c2, c3


@jit.inlined
def _pick(w0, w1, w2, w3, which):
    """Return the word numbered ``which`` (uint64, 0 to 3) of four."""
    low = w1 if which & _U1 else w0
    high = w3 if which & _U1 else w2
    return high if which & _U2 else low


@jit.kernel
def word(seed, index, stream, number):
    """Return uint64 word ``number`` of a deal's stream; all four arguments are uint64."""
    w0, w1, w2, w3 = philox(number >> _U2, index, _U0, _U0, seed, stream)
    return _pick(w0, w1, w2, w3, number & _U3)


def dice(cards: int, words: int) -> npt.NDArray[np.uint64]:
    """Say how ``words`` random words shuffle ``cards`` cards: uint64[words, 4], a row a word.

    A row holds the first and one past the last position that the word's dice decide, the product
    of their bounds, and 2^64 modulo that product. The products are kept about equal, which makes a
    rejected word as rare as can be.

    Raises ValueError when so few words can't hold the bounds.
    """
    mean = sum(math.log2(bound) for bound in range(2, cards + 1)) / words
    rows = []
    position = 0
    for left in range(words, 0, -1):
        start, product = position, 1
        while position < cards - 1:
            larger = product * (cards - position)
            # Take the next die while that brings the product nearer to the mean.
            if left > 1 and math.log2(larger) - mean > mean - math.log2(product):
                break
            product = larger
            position += 1
        if product >= 2**63:
            raise ValueError(f"{words} words are too few for {cards} cards")
        rows.append((start, position, product, 2**64 % product))
    return np.array(rows, dtype=np.uint64)


DICE = {52: dice(52, 4), 104: dice(104, 10)}
"""The dice of the packs that games use, by number of cards."""

# The same numbers for one deck as constants, with which the compiler unrolls the four throws.
(_END_0, _END_1, _END_2, _END_3) = (int(row[1]) for row in DICE[52])
(_PRODUCT_0, _PRODUCT_1, _PRODUCT_2, _PRODUCT_3) = (row[2] for row in DICE[52])
(_LEAST_0, _LEAST_1, _LEAST_2, _LEAST_3) = (row[3] for row in DICE[52])


@jit.inlined
def _throw(low, start, end, cards, pack):
    """Decide positions ``start`` … ``end - 1`` of ``cards`` by the dice in the uint64 ``low``."""
    for here in range(start, end):
        bound = np.uint64(cards - here)
        there = np.uint64(here) + jit.multiply_high(low, bound)
        low = low * bound
        card = pack[here]
        pack[here] = pack[there]
        pack[there] = card


@jit.kernel
def shuffle_by(seed, index, rows, pack):
    """Shuffle ``pack`` in place, by the dice ``rows`` (uint64[words, 4]) for its length.

    ``pack`` (any integer dtype) holds the cards in their fixed order before, in deal order after.
    ``seed`` and ``index`` are uint64.
    """
    w0, w1, w2, w3 = philox(_U0, index, _U0, _U0, seed, PACK_STREAM)
    number = _U0
    for row in range(rows.shape[0]):
        while True:
            if number & _U3 == _U0 and number > _U0:
                w0, w1, w2, w3 = philox(number >> _U2, index, _U0, _U0, seed, PACK_STREAM)
            low = _pick(w0, w1, w2, w3, number & _U3)
            number += _U1
            # The last low half is the word times all the bounds: known before the dice are.
            if low * rows[row, 2] >= rows[row, 3]:
                break
        _throw(low, np.int64(rows[row, 0]), np.int64(rows[row, 1]), pack.shape[0], pack)


@jit.kernel
def shuffle(seed, index, rows, pack):
    """Do what :func:`shuffle_by` does; faster for a pack of 52 whose first four words all serve."""
    if pack.shape[0] == 52:
        w0, w1, w2, w3 = philox(_U0, index, _U0, _U0, seed, PACK_STREAM)
        if (
            (w0 * _PRODUCT_0 >= _LEAST_0)
            & (w1 * _PRODUCT_1 >= _LEAST_1)
            & (w2 * _PRODUCT_2 >= _LEAST_2)
            & (w3 * _PRODUCT_3 >= _LEAST_3)
        ):
            _throw(w0, 0, _END_0, 52, pack)
            _throw(w1, _END_0, _END_1, 52, pack)
            _throw(w2, _END_1, _END_2, 52, pack)
            _throw(w3, _END_2, _END_3, 52, pack)
            return
    shuffle_by(seed, index, rows, pack)


@jit.kernel
def shuffle_many(seed, first, rows, packs):
    """Shuffle every row of ``packs`` (uint8[count, cards]): row i becomes deal ``first + i``."""
    for row in range(packs.shape[0]):
        shuffle(seed, first + np.uint64(row), rows, packs[row])


def check_seed(seed: int, name: str = "seed") -> None:
    """Raise InputError unless ``seed`` fits 64 bits; ``name`` is what to call it."""
    if not 0 <= seed < INDEX_END:
        raise InputError(f"{name} {seed} is out of range: 0 to 18446744073709551615 (64 bits)")


def check_range(first: int, count: int) -> None:
    """Raise InputError unless the ``count`` indices from ``first`` on all fit 64 bits."""
    check_seed(first, "index")
    if first + count > INDEX_END:
        raise InputError(
            f"{count} deals from index {first} on pass the last index, 18446744073709551615"
        )


def packs(seed: int, first: int, count: int, decks: int = 1) -> npt.NDArray[np.uint8]:
    """Return deals ``first`` … ``first + count - 1`` of ``seed``: uint8[count, 52 * decks].

    Raises InputError when the seed or an index doesn't fit 64 bits.
    """
    check_seed(seed)
    check_range(first, count)
    ordered = np.tile(np.arange(DECK, dtype=np.uint8), (count, decks))
    with jit.first_use("packs"):
        shuffle_many(np.uint64(seed), np.uint64(0), DICE[DECK * decks], ordered[:0])
    shuffle_many(np.uint64(seed), np.uint64(first), DICE[DECK * decks], ordered)
    return ordered


def pack(seed: int, index: int, decks: int = 1) -> Pack:
    """Return one deal: uint8[52 * decks], card codes in deal order. Raises as :func:`packs`."""
    result: Pack = packs(seed, index, 1, decks)[0]
    return result


def read_text(path: Path) -> str:
    """Return the text of a file, or of standard input for ``-``.

    Raises InputError when it can't be read, or isn't text.
    """
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text()
    except OSError as error:
        raise InputError(f"file {str(path)!r} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(
            f"file {str(path)!r} is no text: a pack is written as in TH 9C AS"
        ) from None
