"""What the commands share: their options, how they print, and how they say that input is wrong."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table


def whole_number(text: str) -> int:
    """Return the whole number written in ``text``; ``1_000_000`` is one. Raises BadParameter."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no whole number, such as 1000000") from None


def number(text: str) -> float:
    """Return the number written in ``text``. Raises BadParameter."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no number, such as 0.0005") from None


GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game; see: acesim games.")]
Variant = Annotated[
    str | None, typer.Option("--variant", metavar="NAME", help="Variant of the game.")
]
RuleSwitches = Annotated[
    list[str] | None,
    typer.Option("--rule", metavar="SWITCH=VALUE", help="Set a rule switch; may be repeated."),
]
PolicyText = Annotated[
    str | None,
    typer.Option("--policy", metavar="POLICY", help="How to play; see: acesim policies GAME."),
]
Seed = Annotated[
    int,
    typer.Option("--seed", parser=whole_number, metavar="S", help="Seed of the deals, 64 bits."),
]
Index = Annotated[
    int,
    typer.Option("--index", parser=whole_number, metavar="I", help="Index of the deal, 64 bits."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", parser=whole_number, metavar="J", help="Threads; by default, one a processor."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing on standard error.")]


def parse_switches(switches: list[str] | None) -> dict[str, str]:
    """Return the switches written ``name=value``. Raises InputError for anything else."""
    from acesim.errors import InputError

    parsed: dict[str, str] = {}
    for switch in switches or []:
        name, equals, value = switch.partition("=")
        if not equals:
            raise InputError(f"--rule {switch!r} has no value: write SWITCH=VALUE")
        if parsed.setdefault(name, value) != value:
            raise InputError(f"--rule {name} is given twice, as {parsed[name]} and as {value}")
    return parsed


def print_json(record: Any) -> None:
    """Print ``record`` as one line of JSON on standard output."""
    sys.stdout.write(json.dumps(record, allow_nan=False) + "\n")


def show(content: Table | str) -> None:
    """Print a table or a line, as wide as it needs where it isn't read on a terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal:
        console.print(content, markup=not isinstance(content, str))
        return
    console.width = 10_000
    with console.capture() as printed:
        console.print(content, markup=not isinstance(content, str))
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in printed.get().splitlines()))


def note(message: str, quiet: bool) -> None:
    """Print a line on standard error unless ``quiet``."""
    if not quiet:
        sys.stderr.write(f"acesim: {message}\n")


@contextmanager
def labelled_progress(quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """Show deals finished, their rate and the time left while standard error is a terminal.

    Yields the function to call with a label, the deals finished and the deals planned, or None
    where nothing is shown. A new label starts anew.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Deals a second."""

        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text("- deals/s" if speed is None else f"{speed:,.0f} deals/s")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("compiling", total=None)
        shown = ""

        def report(label: str, finished: int, planned: int) -> None:
            nonlocal shown
            if label != shown:
                progress.reset(task, description=label, total=planned)
                shown = label
            progress.update(task, completed=finished, total=planned)

        yield report


@contextmanager
def progress_bar(label: str, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Do what :func:`labelled_progress` does, under one label."""
    with labelled_progress(quiet) as report:
        yield None if report is None else functools.partial(report, label)


def percent(rate: float, digits: int = 4) -> str:
    """Return a rate as a percentage."""
    return f"{100 * rate:.{digits}f} %"


def one_in(rate: float | None) -> str:
    """Return a rate as odds, "1 in x"."""
    if rate is None or rate <= 0:
        return "none won"
    return f"1 in {1 / rate:,.1f}"
