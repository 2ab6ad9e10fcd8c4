"""``acesim games``: what can be played."""

from __future__ import annotations

from acesim.cli import common


def games(as_json: common.AsJson = False, quiet: common.Quiet = False) -> None:
    """List the games with their variants and rule switches; the first of each is the default."""
    from rich.table import Table

    from acesim.games import NAMES
    from acesim.games import game as find

    found = [find(name) for name in NAMES]
    if as_json:
        common.print_json(
            [
                {
                    "game": game.name,
                    "title": game.title,
                    "decks": game.decks,
                    "max_score": game.max_score,
                    "variants": dict(game.variants),
                    "rules": {switch.name: dict(switch.values) for switch in game.switches},
                    "default_policy": game.default_policy,
                }
                for game in found
            ]
        )
        return
    for game in found:
        table = Table.grid(padding=(0, 2))
        table.add_row(game.name, f"{game.title}: decks {game.decks}, best score {game.max_score}")
        for name, summary in game.variants.items():
            table.add_row(f"  --variant {name}", summary)
        for switch in game.switches:
            for value, meaning in switch.values.items():
                table.add_row(f"  --rule {switch.name}={value}", meaning)
        common.show(table)
