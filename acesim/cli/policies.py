"""``acesim policies``: how a game can be played."""

from __future__ import annotations

from typing import Any

from acesim.cli import common


def policies(
    game: common.GameName, as_json: common.AsJson = False, quiet: common.Quiet = False
) -> None:
    """List a game's policies and their keys: NAME, NAME:key=value,… or NAME:RULE,RULE,…"""
    from rich.table import Table

    from acesim.game import Choice
    from acesim.games import game as find

    played = find(game)
    if as_json:
        common.print_json([_record(family) for family in played.policies])
        return
    table = Table.grid(padding=(0, 2))
    for family in played.policies:
        table.add_row(family.name, family.summary)
        for key in family.keys:
            if isinstance(key, Choice):
                table.add_row(f"  {key.name}=", f"{key.summary} ({', '.join(key.values)})")
            else:
                table.add_row(f"  {key.name}=", f"{key.summary} (a number; {key.default:g})")
        for name, item in (family.items or {}).items():
            table.add_row(f"  {item.code} {name}", item.summary)
    common.show(table)


def _record(family: Any) -> dict[str, Any]:
    from acesim.game import Choice

    keys = {
        key.name: {"summary": key.summary, "values": list(key.values)}
        if isinstance(key, Choice)
        else {"summary": key.summary, "default": key.default}
        for key in family.keys
    }
    items = {
        name: {"code": item.code, "summary": item.summary}
        for name, item in (family.items or {}).items()
    }
    return {"policy": family.name, "summary": family.summary, "keys": keys, "rules": items}
