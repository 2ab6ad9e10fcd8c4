"""``acesim trace``: print one game move by move."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acesim.cli import common


def trace(
    game: common.GameName,
    variant: common.Variant = None,
    rule: common.RuleSwitches = None,
    policy: common.PolicyText = None,
    seed: common.Seed = 1,
    index: common.Index = 0,
    pack: Annotated[
        Path | None,
        typer.Option(
            "--pack",
            metavar="FILE",
            help="Play the pack written in FILE (- for standard input) instead of the deal's own.",
        ),
    ] = None,
    as_json: common.AsJson = False,
    quiet: common.Quiet = False,
) -> None:
    """Print the moves of one game; what follows # is the tableau after each round."""
    from acesim.cards import pack_text, parse_pack
    from acesim.deals import read_text
    from acesim.games import game as find
    from acesim.moves import trace as trace_game

    played = find(game)
    given = None if pack is None else parse_pack(read_text(pack), played.decks)
    game_trace = trace_game(
        game,
        policy,
        variant=variant,
        rules=common.parse_switches(rule),
        seed=seed,
        index=index,
        pack=given,
    )
    if as_json:
        common.print_json(game_trace.record())
        return
    rules = played.rules(game_trace.variant, game_trace.rules)
    origin = f"seed {seed}, index {index}" if pack is None else f"pack from {pack}"
    typer.echo(f"# {played.title}: {rules.text()}")
    typer.echo(f"# policy {game_trace.policy}; {origin}; acesim {game_trace.version}")
    typer.echo(f"# pack {pack_text(game_trace.pack)}")
    for line in played.narrate(game_trace.pack, game_trace.moves, rules):
        typer.echo(line)
    ending = "won" if game_trace.won else "lost"
    typer.echo(f"# {ending}: score {game_trace.score} of {played.max_score}")
