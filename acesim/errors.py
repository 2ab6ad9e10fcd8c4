"""What acesim raises when it is given something it can't use."""

from __future__ import annotations


class InputError(ValueError):
    """Unusable input. The message is one line: what was given, what is wrong, what is right."""


class IllegalMove(InputError):
    """A move that the rules forbid, found by a referee.

    ``number`` counts the moves from 1; ``move`` is the move as written; ``reason`` says why.
    """

    def __init__(self, number: int, move: str, reason: str) -> None:
        super().__init__(f"move {number}, {move}: {reason}")
        self.number = number
        self.move = move
        self.reason = reason
