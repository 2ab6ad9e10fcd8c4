"""The command line: ``acesim``, one module a command."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

from acesim.cli.deal import deal
from acesim.cli.games import games
from acesim.cli.policies import policies
from acesim.cli.reproduce import reproduce
from acesim.cli.run import run
from acesim.cli.trace import trace
from acesim.version import VERSION

app = typer.Typer(
    name="acesim",
    help="Monte Carlo win rates of patience games: seeded deals, configurable policies, published "
    "odds checked.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (run, deal, trace, games, policies, reproduce):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"acesim {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Monte Carlo win rates of patience games."""


def main() -> None:
    """Run the command line and leave with its status: 0, 1, 2 (unusable input) or 130."""
    try:
        status = app(standalone_mode=False)
    except TyperException as error:
        message = " ".join(error.format_message().split())
        sys.stderr.write(f"acesim: {message or 'no command given; see acesim --help'}\n")
        status = 2
    except Exception as error:
        from acesim.errors import InputError

        if not isinstance(error, InputError):
            raise
        sys.stderr.write(f"acesim: {error}\n")
        status = 2
    except KeyboardInterrupt:
        status = 130
    sys.exit(status if isinstance(status, int) else 0)
