"""``acesim deal``: print packs."""

from __future__ import annotations

from typing import Annotated

import typer

from acesim.cli import common

MOST_PACKS = 1_000_000


def deal(
    game: common.GameName,
    seed: common.Seed = 1,
    index: common.Index = 0,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            parser=common.whole_number,
            metavar="N",
            help="Print N deals, from the index on.",
        ),
    ] = None,
    as_json: common.AsJson = False,
    quiet: common.Quiet = False,
) -> None:
    """Print the cards of a deal, in deal order; with --count, a line a deal."""
    from acesim.cards import card_text, pack_text
    from acesim.deals import check_range, check_seed, packs
    from acesim.errors import InputError
    from acesim.games import game as find

    played = find(game)
    number = 1 if count is None else count
    if not 1 <= number <= MOST_PACKS:
        raise InputError(f"count {number} is out of range: 1 to {MOST_PACKS}")
    check_seed(seed)
    check_range(index, number)
    rows = packs(seed, index, number, played.decks)
    if not as_json:
        for row in rows:
            typer.echo(pack_text(row))
        return
    records = [
        {
            "game": game,
            "seed": seed,
            "index": index + place,
            "pack": [card_text(card) for card in row],
        }
        for place, row in enumerate(rows)
    ]
    common.print_json(records[0] if count is None else records)
