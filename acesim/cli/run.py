"""``acesim run``: play a batch and print how often it was won."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acesim.cli import common

if TYPE_CHECKING:
    from acesim.results import Result


def run(
    game: common.GameName,
    variant: common.Variant = None,
    rule: common.RuleSwitches = None,
    policy: common.PolicyText = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            parser=common.whole_number,
            metavar="N",
            help="Deals to play, by default 1000000; with --until-margin the most to play.",
        ),
    ] = None,
    seed: common.Seed = 1,
    first: Annotated[
        int,
        typer.Option(
            "--first", parser=common.whole_number, metavar="I", help="Index of the first deal."
        ),
    ] = 0,
    jobs: common.Jobs = None,
    until_margin: Annotated[
        float | None,
        typer.Option(
            "--until-margin",
            parser=common.number,
            metavar="M",
            help="Go on until the 95 % interval of the win rate reaches no further than M to "
            "either side, as in 0.0005.",
        ),
    ] = None,
    per_deal: Annotated[
        Path | None,
        typer.Option(
            "--per-deal",
            metavar="FILE.parquet",
            help="Write index, score and won of every deal to a Parquet file.",
        ),
    ] = None,
    as_json: common.AsJson = False,
    quiet: common.Quiet = False,
) -> None:
    """Play seeded deals under a policy and print the win rate with its 95 % interval."""
    from acesim.batch import Interrupted, check_deals, simulate
    from acesim.games import game as find
    from acesim.tables import ScoreFile

    if deals is not None:
        check_deals(deals)
    max_score = find(game).max_score
    interrupted = False
    with nullcontext() if per_deal is None else ScoreFile(per_deal, max_score) as file:
        try:
            with common.progress_bar(game, quiet) as progress:
                result = simulate(
                    game,
                    policy,
                    variant=variant,
                    rules=common.parse_switches(rule),
                    deals=deals,
                    seed=seed,
                    first=first,
                    jobs=jobs,
                    until_margin=until_margin,
                    progress=progress,
                    each_block=None if file is None else file.write,
                )
        except Interrupted as interruption:
            if interruption.result is None:
                common.note("interrupted before the first deals were finished", quiet)
                raise typer.Exit(130) from None
            result = interruption.result
            interrupted = True
    if interrupted:
        common.note(f"interrupted; this is what {result.deals:,} finished deals say", quiet)
    if as_json:
        common.print_json(result.record())
    else:
        show(result)
    if interrupted:
        raise typer.Exit(130)


def show(result: Result) -> None:
    """Print a result for people."""
    from rich.table import Table

    from acesim.games import game

    low, high = result.interval
    confidence = f"{100 * result.confidence:g} %"
    table = Table.grid(padding=(0, 2))
    played = game(result.game)
    rules = ", ".join(f"{name}={value}" for name, value in result.rules.items())
    table.add_row("game", f"{played.title} ({result.game}), {result.variant}, {rules}")
    table.add_row("policy", result.policy)
    last = result.first + result.deals - 1
    table.add_row("deals", f"{result.deals:,} (seed {result.seed}, {result.first:,} to {last:,})")
    table.add_row("won", f"{result.wins:,}, {common.one_in(result.win_rate)}")
    table.add_row(
        "win rate",
        f"{common.percent(result.win_rate)} "
        f"({confidence}: {common.percent(low)} to {common.percent(high)})",
    )
    table.add_row("mean score", f"{result.score_mean:.3f} of {played.max_score}")
    table.add_row(
        "time", f"{result.seconds:.2f} s, {result.deals / result.seconds:,.0f} deals a second"
    )
    table.add_row("version", result.version)
    common.show(table)
