"""The rules of Aces Up again, in plain Python: replays a list of moves and trusts nobody.

It shares no code with the kernels, so that a fault in one shows against the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from acesim.cards import Pack, card_text
from acesim.errors import IllegalMove
from acesim.game import Rules

_MOVE = re.compile(r"t([1-4])>(?:out|t([1-4])(?:x([0-9]+))?)")


_VALUE = {rank: value for value, rank in enumerate("23456789TJQKA", start=2)}


def _beats(higher: str, lower: str) -> bool:
    return higher[1] == lower[1] and _VALUE[higher[0]] > _VALUE[lower[0]]


class Table:
    """Four piles of card texts, bottom first, the stock and the count of discards."""

    def __init__(self, pack: Pack, rules: Rules) -> None:
        self.stock = [card_text(card) for card in pack]
        self.piles: list[list[str]] = [[], [], [], []]
        self.discards = 0
        self.variant = rules.variant
        self.switches = rules.switches

    def can_discard(self, pile: list[str]) -> bool:
        """Say whether the top of a pile is beaten by another top."""
        return bool(pile) and any(_beats(other[-1], pile[-1]) for other in self.piles if other)

    def fill_fault(self, source: list[str], cards: int) -> str | None:
        """Say why the top ``cards`` of a pile may not fill an empty pile, or None if they may."""
        if not 1 <= cards <= len(source):
            return f"the pile has {len(source)} cards, not {cards} to move"
        unit = source[-cards:]
        if cards > 1:
            if self.variant != "runs":
                return "only one card moves at a time in this variant"
            if not all(_beats(under, over) for under, over in pairwise(unit)):
                return f"{' '.join(unit)} is no run of one suit, each lower than the one under it"
        alone = cards == len(source)
        # A run that is a whole pile may move; a single card that is one only by the switch.
        if alone and cards == 1 and self.switches["lone-moves"] == "no":
            return "the only card of a pile may not move"
        if self.variant == "aces-only" and unit[0][0] != "A":
            return "only an ace may fill an empty pile in this variant"
        if self.variant == "aces-stay" and unit[0][0] == "A" and not alone:
            return "an ace that lies on other cards may not be moved off them in this variant"
        return None

    def play(self, number: int, move: str) -> None:
        """Make move ``number``. Raises IllegalMove, and leaves the table as it is, if it can't."""
        fault = self._play(move)
        if fault is not None:
            raise IllegalMove(number, move, fault)

    def _play(self, move: str) -> str | None:
        if self.switches["discards"] == "forced" and not move.endswith(">out"):
            tops = [pile[-1] for pile in self.piles if pile]
            if len({top[1] for top in tops}) < len(tops):
                # Two tops of one suit: the lower one goes.
                number = next(n for n, pile in enumerate(self.piles) if self.can_discard(pile))
                return f"{self.piles[number][-1]} on t{number + 1} must be discarded first"
        if move == "stock>t":
            return self._deal()
        match = _MOVE.fullmatch(move)
        if match is None:
            return "no move of this game: write stock>t, t1>out, t1>t2 or t1>t2x3"
        source = self.piles[int(match[1]) - 1]
        if not source:
            return f"t{match[1]} is empty"
        if match[2] is None:
            if not self.can_discard(source):
                return f"no other top beats {source[-1]}"
            source.pop()
            self.discards += 1
            return None
        target = self.piles[int(match[2]) - 1]
        cards = int(match[3] or 1)
        if target:
            return f"t{match[2]} is not empty"
        fault = self.fill_fault(source, cards)
        if fault is None:
            target.extend(source[-cards:])
            del source[-cards:]
        return fault

    def _deal(self) -> str | None:
        if not self.stock:
            return "the stock is empty"
        if self.switches["fills"] == "forced" and not all(self.piles):
            for number, pile in enumerate(self.piles, start=1):
                # Moving a pile's only card leaves as many piles empty, so it is never asked for.
                if len(pile) > 1 and self.fill_fault(pile, 1) is None:
                    return f"an empty pile must be filled first, and t{number} can fill it"
        for pile in self.piles:
            pile.append(self.stock.pop(0))
        return None


def replay(pack: Pack, moves: Sequence[str], rules: Rules) -> int:
    """Play ``moves`` on a pack (uint8[52] in deal order) and return the score, 0 to 48.

    A game may be left before its end; the score counts the discards so far. Raises IllegalMove at
    the first move that the rules forbid.
    """
    table = Table(pack, rules)
    for number, move in enumerate(moves, start=1):
        table.play(number, move)
    return table.discards


def narrate(pack: Pack, moves: Sequence[str], rules: Rules) -> list[str]:
    """Return a game as lines to read: a line a round with its moves, and the tableau after it.

    Raises as :func:`replay`.
    """
    table = Table(pack, rules)
    lines: list[str] = []
    words: list[str] = []

    def close_round() -> None:
        if words:
            piles = "  ".join(
                f"t{number} {' '.join(pile) or '-'}"
                for number, pile in enumerate(table.piles, start=1)
            )
            lines.extend([" ".join(words), f"    # {piles}"])
            words.clear()

    for number, move in enumerate(moves, start=1):
        if move == "stock>t":
            close_round()
        table.play(number, move)
        words.append(move)
    close_round()
    return lines
