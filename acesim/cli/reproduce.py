"""``acesim reproduce``: published figures beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from acesim.cli import common

if TYPE_CHECKING:
    from acesim.claims import Verdict
    from acesim.results import Result

_COLORS = {"reproduced": "green", "higher": "yellow", "lower": "yellow"}


def reproduce(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Claims to check; by default all.")
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals", parser=common.whole_number, metavar="N", help="Deals for each claim."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="At most 400,000 deals each: under a minute in all.")
    ] = False,
    seed: common.Seed = 1,
    jobs: common.Jobs = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
    as_json: common.AsJson = False,
    quiet: common.Quiet = False,
) -> None:
    """Check published figures: what they claim, what we measure, and a verdict for each.

    "reproduced" says that our 95 % interval meets the claimed range, "higher" and "lower" where our
    rate lies. The status is 1 if a claim that the project stands for isn't reproduced.
    """
    from acesim.claims import reproduce as check
    from acesim.errors import InputError

    if markdown and as_json:
        raise InputError("--markdown and --json exclude each other: give one of the two")
    verdicts: list[Verdict] = []
    interrupted = False
    try:
        with common.labelled_progress(quiet) as progress:
            check(
                ids or [],
                deals=deals,
                quick=quick,
                seed=seed,
                jobs=jobs,
                progress=progress,
                each=verdicts.append,
            )
    except KeyboardInterrupt:
        interrupted = True
        common.note(f"interrupted; {len(verdicts)} claims were checked", quiet)
    if as_json:
        common.print_json([verdict.record() for verdict in verdicts])
    elif verdicts and markdown:
        _print_markdown(verdicts)
    elif verdicts:
        _print_tables(verdicts)
    if interrupted:
        raise typer.Exit(130)
    failed = [verdict.claim.id for verdict in verdicts if verdict.failed]
    if failed:
        common.note(f"expected to be reproduced, but not: {', '.join(failed)}", quiet)
        raise typer.Exit(1)


def _odds_range(low: float, high: float) -> str:
    """Return an interval of win rates as odds, the likelier end last."""
    worst = f"{1 / low:,.1f}" if low > 0 else "∞"
    return f"{1 / high:,.1f} to {worst}"


def _row(verdict: Verdict) -> tuple[str, ...]:
    claim, result = verdict.claim, verdict.result
    return (
        claim.id,
        f"{claim.claim} ({result.variant})",
        f"1 in {_odds_range(claim.low, claim.high)}",
        common.one_in(result.win_rate),
        _odds_range(*result.interval),
        f"{result.deals:,}",
        result.policy + ("" if claim.stated else " *"),
        verdict.verdict,
    )


_HEADINGS = ("claim", "says", "admits", "ours", "95 % interval", "deals", "policy", "verdict")


def _footnotes(verdicts: Sequence[Verdict]) -> list[str]:
    notes = []
    if any(not verdict.claim.stated for verdict in verdicts):
        notes.append("* the source doesn't state its policy; this is the one that we checked with")
    for verdict in verdicts:
        if verdict.claim.note:
            notes.append(f"{verdict.claim.id}: {verdict.claim.note}")
        if (p_value := verdict.p_value) is not None:
            notes.append(
                f"{verdict.claim.id}: the source's whole distribution against ours, chi-square "
                f"p = {p_value:.2g}"
            )
    first = verdicts[0].result
    notes.append(
        f"seed {first.seed}, acesim {first.version}; what a claim admits is its rounding, and its "
        "source's sampling error (95 %) where the number of its deals is known"
    )
    return notes


_RUNG_HEADINGS = ("policy", "won", "95 % interval", "deals")


def _rungs(verdict: Verdict) -> list[Result]:
    return sorted([verdict.result, *verdict.ladder], key=lambda result: result.win_rate)


def _rung(result: Result) -> tuple[str, ...]:
    return (
        result.policy,
        common.one_in(result.win_rate),
        _odds_range(*result.interval),
        f"{result.deals:,}",
    )


def _print_tables(verdicts: Sequence[Verdict]) -> None:
    from rich.table import Table

    # Three lines a claim, so that a terminal of 80 columns shows it whole.
    table = Table(title="Published figures", show_lines=True)
    table.add_column("claim, and the policy played", overflow="fold")
    table.add_column("admits 1 in", no_wrap=True)
    table.add_column("ours", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for verdict in verdicts:
        name, says, admits, ours, interval, deals, policy, word = _row(verdict)
        table.add_row(
            f"[bold]{name}[/]\n{says}\n{policy}",
            admits.removeprefix("1 in "),
            f"{ours}\n{interval}\n{deals} deals",
            f"[{_COLORS[word]}]{word}[/]",
        )
    common.show(table)
    for verdict in verdicts:
        if verdict.ladder:
            ladder = Table(title=f"Policies around {verdict.claim.id}")
            for place, heading in enumerate(_RUNG_HEADINGS):
                ladder.add_column(heading, justify="right" if place in (1, 3) else "left")
            for result in _rungs(verdict):
                policy, *cells = _rung(result)
                ladder.add_row(policy + (" ←" if result is verdict.result else ""), *cells)
            common.show(ladder)
    for note in _footnotes(verdicts):
        common.show(note)


def _print_markdown(verdicts: Sequence[Verdict]) -> None:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    lines = [line(_HEADINGS), line(["---"] * len(_HEADINGS))]
    lines += [line(_row(verdict)) for verdict in verdicts]
    for verdict in verdicts:
        if verdict.ladder:
            lines += ["", f"Policies around `{verdict.claim.id}`:", ""]
            lines += [line(_RUNG_HEADINGS), line(["---"] * len(_RUNG_HEADINGS))]
            lines += [line(_rung(result)) for result in _rungs(verdict)]
    lines += ["", *(f"- {note.replace('*', chr(92) + '*')}" for note in _footnotes(verdicts))]
    typer.echo("\n".join(lines))
