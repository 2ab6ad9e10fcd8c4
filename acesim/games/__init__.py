"""The registry: every game that acesim plays, by name.

A new game is a folder beside this file that ends in a ``GAME``, and a line in ``_FOLDERS``.
"""

from __future__ import annotations

from importlib import import_module

from acesim.game import Game, unknown

_FOLDERS = {
    "aces-up": "acesim.games.aces_up",
}

NAMES = tuple(_FOLDERS)
"""The names of all games."""


def game(name: str) -> Game:
    """Return the game called ``name``. Raises InputError for any other name."""
    if name not in _FOLDERS:
        raise unknown("game", name, NAMES)
    found: Game = import_module(_FOLDERS[name]).GAME
    return found
