"""One game as a list of moves, in the notation that all games share.

A move is ``SOURCE>DESTINATION``. Places are ``stock``, ``waste``, ``out`` (the discard of Aces
Up), tableau piles ``t1`` …, foundations ``f1`` …, up foundations ``u1`` …, down foundations ``d1``
…, reserves ``r1`` …, single-card piles ``p1`` …; ``t`` alone is a row dealt to all tableau piles. A
run of k cards that moves as a unit ends in ``xk``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from acesim import deals as packs_of
from acesim.batch import Batch, OwnPolicy
from acesim.cards import Pack, card_text, check_pack
from acesim.errors import InputError
from acesim.version import VERSION

_MOVE = re.compile(r"(stock|waste|[tfudrp][0-9]+)>(waste|out|t|[tfudrp][0-9]+)(x[0-9]+)?")


def parse_moves(text: str) -> list[str]:
    """Return the moves written in ``text``, separated by white space; ``#`` starts a comment.

    Raises InputError at the first word that is no move.
    """
    moves = [word for line in text.splitlines() for word in line.partition("#")[0].split()]
    for number, move in enumerate(moves, start=1):
        if _MOVE.fullmatch(move) is None:
            raise InputError(
                f"move {number}, {move!r}, can't be read: write SOURCE>DESTINATION, as in t1>t2"
            )
    return moves


@dataclass(frozen=True)
class Trace:
    """One game: the conditions, the pack, the moves, and the score the referee gives them."""

    game: str
    variant: str
    rules: Mapping[str, str]
    policy: str
    seed: int
    index: int
    pack: Pack
    moves: list[str]
    score: int
    won: bool
    version: str

    def record(self) -> dict[str, Any]:
        """Return the trace as plain values under the keys of the command line's JSON."""
        return {
            "game": self.game,
            "variant": self.variant,
            "rules": dict(self.rules),
            "policy": self.policy,
            "seed": self.seed,
            "index": self.index,
            "pack": [card_text(card) for card in self.pack],
            "moves": self.moves,
            "score": self.score,
            "won": self.won,
            "version": self.version,
        }


def trace(
    game: str = "aces-up",
    policy: str | OwnPolicy | None = None,
    *,
    variant: str | None = None,
    rules: Mapping[str, str] | None = None,
    seed: int = 1,
    index: int = 0,
    pack: Pack | None = None,
) -> Trace:
    """Play one deal and return its moves; the score is the referee's, not the kernel's.

    ``pack`` (uint8, card codes in deal order) takes the place of the deal's own pack; ``seed`` and
    ``index`` then only fix the coin tosses of a policy that makes some. Raises InputError for
    unusable conditions or a pack that isn't whole.
    """
    batch = Batch(game, policy, variant=variant, rules=rules, seed=seed)
    packs_of.check_range(index, 1)
    if pack is None:
        pack = packs_of.pack(seed, index, batch.game.decks)
    check_pack(pack, batch.game.decks)
    moves = batch.moves(pack, index)
    score = batch.game.replay(pack, moves, batch.rules)
    return Trace(
        game=batch.game.name,
        variant=batch.rules.variant,
        rules=dict(batch.rules.switches),
        policy=batch.policy.text,
        seed=seed,
        index=index,
        pack=pack,
        moves=moves,
        score=score,
        won=score == batch.game.max_score,
        version=VERSION,
    )
