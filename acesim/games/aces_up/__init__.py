"""Aces Up: one deck, four piles, aces high; won when only the aces are left."""

from __future__ import annotations

from numba import types

from acesim.errors import InputError
from acesim.game import Game, Rules, Switch
from acesim.games.aces_up.play import BAD_CHOICE, play_block, trace
from acesim.games.aces_up.policies import FAMILIES
from acesim.games.aces_up.referee import narrate, replay


def _check(rules: Rules, policy: str) -> None:
    """Raise InputError for a policy that the rules make impossible."""
    if policy == "never" and rules.switches["fills"] == "forced":
        raise InputError(
            "policy 'never' leaves empty piles empty, which fills=forced forbids: choose another "
            "policy, or fills=optional"
        )


GAME = Game(
    name="aces-up",
    title="Aces Up",
    decks=1,
    max_score=48,
    variants={
        "standard": "any top card that lies on others may fill an empty pile",
        "aces-only": "only an ace may fill an empty pile (Four Ace Patience)",
        "runs": "besides single cards, a run of one suit, each card lower than the one under it, "
        "may fill an empty pile as a unit",
        "aces-stay": "an ace that lies on other cards may never be moved off them",
    },
    switches=(
        Switch(
            "lone-moves",
            {
                "no": "the only card of a pile may not be moved to an empty pile",
                "yes": "it may; without sight of the stock that is worth nothing, so that no "
                "policy does it",
            },
        ),
        Switch(
            "fills",
            {
                "optional": "an empty pile may be left empty",
                "forced": "no cards are dealt while an empty pile can be filled; where a policy "
                "names no pile, the leftmost fills",
            },
        ),
        Switch(
            "discards",
            {
                "forced": "all available discards are made",
                "optional": "a beaten card may be kept; policies discard all the same",
            },
        ),
    ),
    policies=FAMILIES,
    default_policy="any-discard",
    play_block=play_block,
    trace=trace,
    replay=replay,
    narrate=narrate,
    own_signature=types.int64(
        types.Array(types.uint8, 2, "C", readonly=True),
        types.Array(types.int64, 1, "C", readonly=True),
        types.Array(types.int64, 1, "C", readonly=True),
        types.int64,
        types.uint64,
    ),
    bad_choice=BAD_CHOICE,
    check=_check,
)
