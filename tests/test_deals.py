"""Packs: the generator against public references, the shuffle against its twin, and fairness."""

import math
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regenerate import golden_packs
from scale import compiled_only, deals
from scipy.stats import binomtest, chi2

from acesim import deals as packs_of
from acesim.cards import card_text, check_pack, pack_text, parse_card, parse_pack
from acesim.errors import InputError

words64 = st.integers(0, 2**64 - 1)
FALSE_ALARM = 1e-6
"""How often a fair shuffle fails a statistical test here; the seeds are fixed."""


def philox(counter, key):
    return [int(w) for w in packs_of.philox(*map(np.uint64, counter), *map(np.uint64, key))]


# The authors' own test values for philox4x64 with 10 rounds (Random123, kat_vectors).
PI = 0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89
KNOWN = [
    (
        [0] * 4,
        [0] * 2,
        [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B],
    ),
    (
        [2**64 - 1] * 4,
        [2**64 - 1] * 2,
        [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0],
    ),
    (
        PI,
        [0x452821E638D01377, 0xBE5466CF34E90C6C],
        [0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6],
    ),
]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_philox_gives_its_authors_test_values(counter, key, expected):
    assert philox(counter, key) == expected
    assert naive.philox(counter, key) == expected


@given(st.tuples(words64, words64, words64, words64), st.tuples(words64, words64))
def test_philox_is_numpys(counter, key):
    # numpy counts up before it draws.
    before = (sum(word << 64 * place for place, word in enumerate(counter)) - 1) % 2**256
    numpys = np.random.Philox(counter=before, key=sum(w << 64 * p for p, w in enumerate(key)))
    assert philox(counter, key) == numpys.random_raw(4).tolist()


@given(words64, words64, st.integers(0, 1), st.integers(0, 30))
def test_a_word_of_a_stream_depends_on_nothing_else(seed, index, stream, number):
    twin = naive.words(seed, index, stream)
    expected = [next(twin) for _ in range(number + 1)][-1]
    arguments = map(np.uint64, (seed, index, stream, number))
    assert int(packs_of.word(*arguments)) == expected


@pytest.mark.parametrize("decks", [1, 2])
def test_the_shuffle_is_its_twin(decks):
    rows = packs_of.DICE[52 * decks].tolist()
    groups = [range(int(row[0]), int(row[1])) for row in rows]
    ordered = list(range(52)) * decks
    for seed in (0, 1, 2**64 - 1):
        count = deals(1500, 60)
        packs = packs_of.packs(seed, 0, count, decks)
        for index in range(count):
            assert packs[index].tolist() == naive.shuffled(seed, index, groups, ordered)


@pytest.mark.parametrize("cards", [52, 104])
def test_dice_cover_every_position_once(cards):
    rows = [[int(x) for x in row] for row in packs_of.DICE[cards]]
    assert [p for row in rows for p in range(row[0], row[1])] == list(range(cards - 1))
    for start, end, product, least in rows:
        assert product == math.prod(cards - p for p in range(start, end)) < 2**60
        assert least == 2**64 % product
    with pytest.raises(ValueError, match="too few"):
        packs_of.dice(52, 3)


def test_golden_packs():
    """The same (seed, index) is the same pack, for ever."""
    lines = (Path(__file__).parent / "golden_packs.txt").read_text().splitlines()
    assert list(golden_packs(lines)) == lines


def test_packs_are_whole_and_stand_alone():
    many = packs_of.packs(3, 2**64 - 50, 50)
    for place, pack in enumerate(many):
        check_pack(pack)
        assert (packs_of.pack(3, 2**64 - 50 + place) == pack).all()


@pytest.mark.parametrize(
    ("seed", "first", "count"), [(-1, 0, 1), (2**64, 0, 1), (1, -1, 1), (1, 2**64 - 1, 2)]
)
def test_seeds_and_indices_fit_64_bits(seed, first, count):
    with pytest.raises(InputError, match=r"out of range|pass the last index"):
        packs_of.packs(seed, first, count)


@given(st.permutations(list(range(52))))
def test_packs_are_read_as_they_are_written(cards):
    text = pack_text(cards)
    assert parse_pack(text).tolist() == cards
    assert parse_pack(text.replace("T", "10").lower()).tolist() == cards


@pytest.mark.parametrize("text", ["", "1H", "XX", "THH", "HT", "10", "11H"])
def test_what_is_no_card_is_refused(text):
    with pytest.raises(InputError, match="is not a card"):
        parse_card(text)


def test_what_is_no_pack_is_refused():
    with pytest.raises(InputError, match="a pack of 3 cards, where 52"):
        parse_pack("AC 2C 3C")
    twice = pack_text([0, *range(51)])
    with pytest.raises(InputError, match=r"AC is in the pack 2 times, where 1 is right"):
        parse_pack(twice)


# Fairness. Seed 20260101; 4,000,000 packs, in slices so that memory stays small.
PACKS = 4_000_000
SLICE = 500_000


@pytest.fixture(scope="module")
def counts():
    """Cards by position, neighbouring pairs, and counts of first rows, over all the packs."""
    position = np.zeros(52 * 52, np.int64)
    pairs = np.zeros(52 * 52, np.int64)
    aces = np.zeros(5, np.int64)
    one_suit = 0
    places = 52 * np.arange(52)
    before = np.zeros(SLICE, np.int64)
    for first in range(0, PACKS, SLICE):
        packs = packs_of.packs(20260101, first, SLICE)
        for column in range(52):
            cards = packs[:, column].astype(np.int64)
            position += np.bincount(places[column] + cards, minlength=52 * 52)
            if column:
                pairs += np.bincount(52 * before + cards, minlength=52 * 52)
            before = cards
        row = packs[:, :4]
        aces += np.bincount((row % 13 == 0).sum(axis=1), minlength=5)
        one_suit += int((row // 13 == row[:, :1] // 13).all(axis=1).sum())
    return position.reshape(52, 52), pairs.reshape(52, 52), aces, one_suit


@compiled_only
def test_every_card_is_as_often_at_every_position(counts):
    expected = PACKS / 52
    statistic = ((counts[0] - expected) ** 2 / expected).sum()
    # Rows and columns have fixed sums: 51 * 51 degrees of freedom, scaled by 52 / 51.
    statistic *= 51 / 52
    assert chi2.sf(statistic, 51 * 51) > FALSE_ALARM
    assert chi2.cdf(statistic, 51 * 51) > FALSE_ALARM


@compiled_only
def test_every_pair_of_neighbours_is_as_frequent(counts):
    pairs = counts[1]
    assert (np.diag(pairs) == 0).all()
    expected = PACKS * 51 / (52 * 51)
    off = pairs[~np.eye(52, dtype=bool)]
    statistic = ((off - expected) ** 2 / expected).sum()
    # A card has at most one follower, which holds every row and column near its sum; the statistic
    # stays close to chi-square with 52 * 51 - 2 * 52 + 1 degrees of freedom.
    assert chi2.sf(statistic, 52 * 51 - 103) > FALSE_ALARM
    assert chi2.cdf(statistic, 52 * 51) > FALSE_ALARM


ROWS = math.comb(52, 4) * 24


@compiled_only
@pytest.mark.parametrize(("least", "ways"), [(4, 24), (3, 4_632), (2, 167_064), (1, 1_827_480)])
def test_aces_in_the_first_row(counts, least, ways):
    """``ways`` of the 52 * 51 * 50 * 49 first rows hold at least so many aces."""
    exact = sum(math.comb(4, k) * math.comb(48, 4 - k) * 24 for k in range(least, 5))
    assert exact == ways
    wins = int(counts[2][least:].sum())
    assert binomtest(wins, PACKS, ways / ROWS).pvalue > FALSE_ALARM


@compiled_only
def test_first_rows_of_one_suit(counts):
    assert binomtest(counts[3], PACKS, 68_640 / ROWS).pvalue > FALSE_ALARM


def rainbow_row():
    """The chance that a row of four shows four suits."""
    return 13**4 * 24 / ROWS


@compiled_only
@pytest.mark.parametrize("row", [0, 6, 12])
def test_rows_of_four_suits(row):
    """A deal of 13 such rows, on which nothing can be discarded, has chance (13!)^4 (4!)^13 / 52!.

    That is 4e-11, beyond counting; the first factor of the product, a row by itself, is not.
    """
    exact = math.factorial(13) ** 4 * math.factorial(4) ** 13 / math.factorial(52)
    product = math.prod(k**4 * 24 / math.perm(4 * k, 4) for k in range(13, 0, -1))
    assert math.isclose(exact, product)
    packs = packs_of.packs(20260102, 0, 1_000_000)[:, 4 * row : 4 * row + 4] // 13
    rainbow = int((np.sort(packs, axis=1) == np.arange(4)).all(axis=1).sum())
    assert binomtest(rainbow, 1_000_000, rainbow_row()).pvalue > FALSE_ALARM


@compiled_only
def test_random_choices_of_policies_are_fair():
    """Words of the policy stream: each of the 64 bits is one half the time."""
    seen = np.zeros(64, np.int64)
    count = 20_000
    for index in range(count):
        word = int(
            packs_of.word(np.uint64(7), np.uint64(index), packs_of.POLICY_STREAM, np.uint64(0))
        )
        seen += [word >> bit & 1 for bit in range(64)]
    worst = min(binomtest(int(k), count, 0.5).pvalue for k in seen)
    assert worst * 64 > FALSE_ALARM


def test_card_texts():
    assert [card_text(card) for card in (0, 9, 12, 13, 26, 51)] == [
        "AC",
        "TC",
        "KC",
        "AD",
        "AH",
        "KS",
    ]
