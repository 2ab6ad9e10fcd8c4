"""Slow, obvious twins of the compiled kernels: no arrays, no bits, nothing shared with them.

Packs are lists of card texts in deal order; piles are lists of card texts, bottom first.
"""

from fractions import Fraction

MASK = 2**64 - 1


def philox(counter, key):
    """Philox4x64-10 on Python integers, after the paper's description."""
    c = list(counter)
    k = list(key)
    for _ in range(10):
        left = 0xD2E7470EE14C6C93 * c[0]
        right = 0xCA5A826395121157 * c[2]
        c = [
            (right >> 64) ^ c[1] ^ k[0],
            right & MASK,
            (left >> 64) ^ c[3] ^ k[1],
            left & MASK,
        ]
        k = [(k[0] + 0x9E3779B97F4A7C15) & MASK, (k[1] + 0xBB67AE8584CAA73B) & MASK]
    return c


def words(seed, index, stream):
    """The endless stream of a deal's words."""
    block = 0
    while True:
        yield from philox([block, index, 0, 0], [seed, stream])
        block += 1


def roll(word, bounds):
    """Dice with these bounds from one word, or None when the word has to be thrown away.

    By the definition: the word is a fraction of 2^64, each die is the whole part of the fraction
    times its bound, and what is left goes on. Words whose last remainder is below 2^64 mod the
    product of the bounds are one too many for some of the outcomes.
    """
    fraction = Fraction(word, 2**64)
    dice = []
    product = 1
    for bound in bounds:
        scaled = fraction * bound
        dice.append(int(scaled))
        fraction = scaled - int(scaled)
        product *= bound
    return None if fraction * 2**64 < 2**64 % product else dice


def shuffled(seed, index, groups, cards):
    """``cards`` shuffled by Fisher and Yates, the dice of each group of positions from one word."""
    cards = list(cards)
    stream = words(seed, index, 0)
    for group in groups:
        bounds = [len(cards) - position for position in group]
        dice = None
        while dice is None:
            dice = roll(next(stream), bounds)
        for position, die in zip(group, dice, strict=True):
            other = position + die
            cards[position], cards[other] = cards[other], cards[position]
    return cards


def value(card):
    return "23456789TJQKA".index(card[0]) + 2


class Game:
    """One game of Aces Up, played by the words of the rules."""

    def __init__(self, pack, variant="standard", fills="optional", seed=0, index=0):
        self.stock = list(pack)
        self.piles = [[], [], [], []]
        self.out = []
        self.variant = variant
        self.fills = fills
        self.words = words(seed, index, 1)

    def random_below(self, bound):
        while True:
            word = next(self.words)
            if (word * bound) & MASK >= 2**64 % bound:
                return word * bound >> 64

    def copy(self):
        other = Game([], self.variant, self.fills)
        other.stock = list(self.stock)
        other.piles = [list(pile) for pile in self.piles]
        other.out = list(self.out)
        return other

    def beaten(self):
        """Piles whose top card may be discarded."""
        tops = [pile[-1] for pile in self.piles if pile]
        return [
            number
            for number, pile in enumerate(self.piles)
            if pile and any(top[1] == pile[-1][1] and value(top) > value(pile[-1]) for top in tops)
        ]

    def discard_all(self, pick=lambda candidates: candidates[0]):
        while candidates := self.beaten():
            self.out.append(self.piles[pick(candidates)].pop())

    def run_length(self, number):
        pile = self.piles[number]
        length = 1
        while (
            length < len(pile) - 1
            and pile[-length - 1][1] == pile[-1][1]
            and value(pile[-length - 1]) > value(pile[-length])
        ):
            length += 1
        return length

    def sources(self):
        """Piles whose top card lies on others and may fill an empty pile."""
        result = []
        for number, pile in enumerate(self.piles):
            ace = bool(pile) and pile[-1][0] == "A"
            allowed = {"aces-only": ace, "aces-stay": not ace}.get(self.variant, True)
            if len(pile) > 1 and allowed:
                result.append(number)
        return result

    def units(self, number):
        """Numbers of cards that may move from a pile, the most first."""
        most = self.run_length(number) if self.variant == "runs" else 1
        return list(range(most, 0, -1))

    def fillable(self):
        return [] not in self.piles or not self.sources()

    def fill(self, number, cards):
        target = self.piles.index([])
        self.piles[target] = self.piles[number][-cards:]
        del self.piles[number][-cards:]

    def play(self, policy):
        """Play to the end; ``policy(game)`` returns (pile, cards) or None. Returns the score."""
        while self.stock:
            for pile in self.piles:
                pile.append(self.stock.pop(0))
            self.discard_all()
            while [] in self.piles and self.sources():
                choice = policy(self)
                if choice is None and self.fills == "forced":
                    first = self.sources()[0]
                    choice = (first, 1)
                if choice is None:
                    break
                self.fill(*choice)
                self.discard_all()
        return len(self.out)


def best(game, candidates, worth, ties="leftmost"):
    """The candidate (pile, cards) worth most; ties by side, or by drawing one after another."""
    if ties == "rightmost":
        top = max(worth(c) for c in candidates)
        pile = max(c[0] for c in candidates if worth(c) == top)
        return next(c for c in candidates if worth(c) == top and c[0] == pile)
    kept = None
    seen = 0
    for candidate in candidates:
        if kept is None or worth(candidate) > worth(kept):
            kept, seen = candidate, 1
        elif worth(candidate) == worth(kept) and ties == "random":
            seen += 1
            if game.random_below(seen) == 0:
                kept = candidate
    return kept


def longest(game, piles=None):
    return [(number, game.units(number)[0]) for number in (piles or game.sources())]


def top_value(game, number):
    return value(game.piles[number][-1])


KEYS = {
    "tallest": lambda game, number: len(game.piles[number]),
    "shortest": lambda game, number: -len(game.piles[number]),
    "highest": top_value,
    "lowest": lambda game, number: -top_value(game, number),
}


def gain(game, choice, most):
    after = game.copy()
    after.fill(*choice)
    if not most:
        return int(bool(after.beaten()))
    before = len(after.out)
    after.discard_all()
    return len(after.out) - before


def looking(most, ties):
    def policy(game):
        candidates = [(n, cards) for n in game.sources() for cards in game.units(n)]

        def worth(choice):
            key = KEYS[ties](game, choice[0]) if ties in KEYS else 0
            return (gain(game, choice, most), key)

        return best(game, candidates, worth, "leftmost" if ties in KEYS else ties)

    return policy


def simple(key, ties="leftmost"):
    return lambda game: best(game, longest(game), lambda choice: KEYS[key](game, choice[0]), ties)


def rank_sum(pile):
    return sum(value(card) for card in pile)


def on_suit(game, number, how):
    top, under = game.piles[number][-1], game.piles[number][-2]
    if top[1] != under[1]:
        return False
    return {"any": True, "higher": value(under) > value(top), "lower": value(under) < value(top)}[
        how
    ]


def with_ace(game, numbers):
    return [n for n in numbers if game.piles[n][-1][0] == "A"]


def of_size(game, numbers, size):
    if not numbers:
        return []
    extreme = size(len(game.piles[n]) for n in numbers)
    return [n for n in numbers if len(game.piles[n]) == extreme]


def largest_sum(game, numbers, among):
    if not among:
        return []
    most = max(rank_sum(game.piles[n]) for n in among)
    return [n for n in numbers if rank_sum(game.piles[n]) == most]


def priority_rule(game, code):
    """The piles that a rule admits, and the sign of the rank by which it chooses among them."""
    sources = game.sources()
    if code == "0":
        return sources, 1
    if code in ("1", "10", "100"):
        admitted = [n for n in sources if on_suit(game, n, "any")]
        return {"1": (admitted, 1), "10": (admitted, -1), "100": (with_ace(game, admitted), 0)}[
            code
        ]
    if code in ("2", "20"):
        return largest_sum(game, sources, range(4)), 1 if code == "2" else -1
    if code in ("3", "30"):
        return of_size(game, sources, min), 1 if code == "3" else -1
    if code in ("4", "40"):
        return of_size(game, sources, max), 1 if code == "4" else -1
    aces = with_ace(game, sources)
    if code == "200":
        return largest_sum(game, aces, aces), 0
    if code in ("300", "400"):
        return of_size(game, aces, min if code == "300" else max), 0
    how = "higher" if code.endswith("00") else "lower"
    admitted = [n for n in sources if on_suit(game, n, how)]
    return of_size(game, admitted, min if code[0] == "8" else max), 0


def priority(codes):
    def policy(game):
        for code in codes:
            if code == "1000":
                return best(game, longest(game), lambda choice: 0, "random")
            admitted, sign = priority_rule(game, code)
            if admitted:
                return best(
                    game,
                    longest(game, admitted),
                    lambda choice, sign=sign: sign * top_value(game, choice[0]),
                )
        return None

    return policy


def searching(weights, must_fill=False):
    """All sequences of fills before the next deal; ``weights`` as in the policy's keys."""

    def worth(game, discards, fills):
        total = weights.get("discards", 0) * discards + weights.get("fills", 0) * fills
        aces = 0
        buried = 0
        for pile in game.piles:
            aces += any(card[0] == "A" for card in pile)
            for depth, card in enumerate(pile):
                if card[0] == "A":
                    buried += depth > 0
                    total += weights.get("buried-aces" if depth else "bottom-aces", 0)
            if not pile:
                total += weights.get("empty", 0)
            if len(pile) == 1:
                total += weights.get("singles", 0) * value(pile[0])
        if aces == 4 and buried:
            total += weights.get("hopeless", 0)
        return total

    def ends(game, start, fills):
        """Every end of a sequence in the order of the search: (worth, first fill)."""
        choices = []
        if [] in game.piles:
            for cards in range(1, 13):
                choices += [(n, cards) for n in game.sources() if cards in game.units(n)]
        for choice in choices:
            after = game.copy()
            after.fill(*choice)
            after.discard_all()
            for total, _ in ends(after, start, fills + 1):
                yield total, choice
        if not choices or not (must_fill or game.fills == "forced"):
            yield worth(game, len(game.out) - start, fills), None

    def policy(game):
        kept = None
        for total, choice in ends(game, len(game.out), 0):
            if kept is None or total > kept[0]:
                kept = (total, choice)
        return kept[1]

    return policy


def policy(text):
    """The twin of a policy written as text."""
    name, _, rest = text.partition(":")
    if name == "priority":
        return priority(rest.split(","))
    keys = dict(part.split("=") for part in rest.split(",")) if rest else {}
    ties = keys.pop("ties", "leftmost")
    if name in KEYS:
        return simple(name, ties)
    if name == "search":
        must_fill = keys.pop("stop", "yes") == "no"
        return searching({"discards": 1.0} | {k: float(v) for k, v in keys.items()}, must_fill)
    return {
        "never": lambda game: None,
        "first": lambda game: longest(game)[0],
        "random": lambda game: best(game, longest(game), lambda choice: 0, "random"),
        "any-discard": looking(False, ties),
        "most-discards": looking(True, ties),
        "most-before-deal": searching({"discards": 1.0}),
    }[name]
