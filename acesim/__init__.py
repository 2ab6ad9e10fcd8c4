"""Monte Carlo win rates of patience games: seeded deals, configurable policies, checked odds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from acesim.version import VERSION as __version__

if TYPE_CHECKING:
    from acesim.batch import simulate as simulate
    from acesim.cards import card_text as card_text
    from acesim.cards import pack_text as pack_text
    from acesim.cards import parse_pack as parse_pack
    from acesim.claims import reproduce as reproduce
    from acesim.deals import pack as pack
    from acesim.deals import packs as packs
    from acesim.errors import IllegalMove as IllegalMove
    from acesim.errors import InputError as InputError
    from acesim.moves import trace as trace
    from acesim.results import Result as Result

# Imported when first used: numba takes longer to import than the command line's help to print.
_HOMES = {
    "IllegalMove": "errors",
    "InputError": "errors",
    "Result": "results",
    "card_text": "cards",
    "pack": "deals",
    "pack_text": "cards",
    "packs": "deals",
    "parse_pack": "cards",
    "reproduce": "claims",
    "simulate": "batch",
    "trace": "moves",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'acesim' has no attribute {name!r}")
    return getattr(import_module(f"acesim.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
