"""The published figures, and what playing the deals says of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np

from acesim import stats
from acesim.batch import check_deals, simulate
from acesim.errors import InputError
from acesim.game import unknown
from acesim.results import Result

QUICK_DEALS = 400_000
"""Deals for a claim, at most, when figures are wanted quickly."""
QUICK_LADDER_DEALS = 100_000

REPRODUCED, HIGHER, LOWER = "reproduced", "higher", "lower"


@dataclass(frozen=True)
class Claim:
    """A published figure: who says what, which win rates that admits, and how it is checked.

    ``low`` and ``high`` are win rates. ``expected`` says that the project stands for it.
    """

    id: str
    game: str
    claim: str
    source: str
    low: float
    high: float
    policy: str
    stated: bool
    deals: int
    variant: str | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    expected: bool = False
    ladder: Sequence[str] = ()
    note: str = ""
    cards_left: Mapping[int, int] = field(default_factory=dict)


def _last_digit(figure: str) -> float:
    """Return the value of the last digit that isn't 0: 10 for "270", 0.1 for "0.5", 1 for "43"."""
    if "." in figure:
        return float(10.0 ** -len(figure.partition(".")[2]))
    return float(10 ** (len(figure) - len(figure.rstrip("0"))))


def _claimed_range(entry: Mapping[str, Any]) -> tuple[float, float]:
    """Return the win rates that a source's figure admits."""
    if "wins" in entry:
        return stats.wilson(entry["wins"], entry["of"])
    figure = entry["one_in"] if "one_in" in entry else entry["percent"]
    low, high = stats.rounding_range(float(figure), _last_digit(figure))
    low, high = (1 / high, 1 / low) if "one_in" in entry else (low / 100, high / 100)
    if "of" in entry:
        low = stats.wilson(round(low * entry["of"]), entry["of"])[0]
        high = stats.wilson(round(high * entry["of"]), entry["of"])[1]
    return low, high


def load() -> list[Claim]:
    """Return all claims, in the order of ``claims.toml``."""
    text = files("acesim").joinpath("claims.toml").read_text(encoding="utf-8")
    claims = []
    for entry in tomllib.loads(text)["claim"]:
        low, high = _claimed_range(entry)
        fields = {k: v for k, v in entry.items() if k not in ("wins", "of", "one_in", "percent")}
        left = {int(cards): deals for cards, deals in entry.get("cards_left", {}).items()}
        claims.append(Claim(**(fields | {"low": low, "high": high, "cards_left": left})))
    return claims


def find(ids: Sequence[str]) -> list[Claim]:
    """Return the claims with these ids, or all for none. Raises InputError for an unknown id."""
    claims = {claim.id: claim for claim in load()}
    for name in ids:
        if name not in claims:
            raise unknown("claim", name, list(claims))
    return [claims[name] for name in dict.fromkeys(ids)] if ids else list(claims.values())


@dataclass(frozen=True)
class Verdict:
    """A claim beside what was measured; ``ladder`` holds the other policies' results.

    ``verdict`` is ``reproduced`` when the measured interval and the claimed range overlap, else
    ``higher`` or ``lower``: where our rate lies. ``p_value`` is that of the chi-square test of
    the source's whole distribution, where it published one.
    """

    claim: Claim
    result: Result
    ladder: Sequence[Result] = ()

    @property
    def verdict(self) -> str:
        """``reproduced``, ``higher`` or ``lower``."""
        low, high = self.result.interval
        if low > self.claim.high:
            return HIGHER
        return LOWER if high < self.claim.low else REPRODUCED

    @property
    def failed(self) -> bool:
        """Whether the claim was expected to be reproduced and wasn't."""
        return self.claim.expected and self.verdict != REPRODUCED

    @property
    def p_value(self) -> float | None:
        """The chi-square p-value of the whole distribution, or None where none is published."""
        left = self.claim.cards_left
        if not left:
            return None
        counts = self.result.score_counts
        # Cards left in all are four more than the best score lacks: the aces stay.
        theirs = [left.get(len(counts) - 1 - score + 4, 0) for score in range(len(counts))]
        return stats.same_distribution(counts, np.array(theirs))

    def record(self) -> dict[str, Any]:
        """Return the verdict as plain values under the keys of the command line's JSON."""
        low, high = self.result.interval
        record: dict[str, Any] = {
            "id": self.claim.id,
            "claim": self.claim.claim,
            "claimed_low": self.claim.low,
            "claimed_high": self.claim.high,
            "measured": self.result.win_rate,
            "ci_low": low,
            "ci_high": high,
            "deals": self.result.deals,
            "policy": self.result.policy,
            "verdict": self.verdict,
            "game": self.result.game,
            "variant": self.result.variant,
            "rules": dict(self.result.rules),
            "seed": self.result.seed,
            "wins": self.result.wins,
            "policy_stated": self.claim.stated,
            "expected": self.claim.expected,
            "source": self.claim.source,
            "note": self.claim.note,
            "version": self.result.version,
        }
        if (p_value := self.p_value) is not None:
            record["distribution_p_value"] = p_value
        if self.ladder:
            keys = ("policy", "deals", "wins", "win_rate", "ci_low", "ci_high", "one_in")
            rungs = [rung.record() for rung in self.ladder]
            record["ladder"] = [{key: rung[key] for key in keys} for rung in rungs]
        return record


def reproduce(
    ids: Sequence[str] = (),
    *,
    deals: int | None = None,
    quick: bool = False,
    seed: int = 1,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    each: Callable[[Verdict], None] | None = None,
) -> list[Verdict]:
    """Play the deals that check published figures and return a verdict for each.

    ``ids`` names the claims (all by default), ``deals`` sets the deals for each, ``quick`` plays
    at most 400,000 (and 100,000 for a policy beside). ``progress`` is called with a label, the
    deals finished and the deals planned, ``each`` with every verdict as it comes. Raises InputError
    for an unknown id or unusable numbers, Interrupted on Ctrl-C.
    """
    if deals is not None:
        check_deals(deals)
        if quick:
            raise InputError("deals and quick exclude each other: give one of the two")

    def play(claim: Claim, policy: str, number: int) -> Result:
        def report(finished: int, planned: int) -> None:
            if progress is not None:
                progress(f"{claim.id}, {policy}"[:60], finished, planned)

        return simulate(
            claim.game,
            policy,
            variant=claim.variant,
            rules=claim.rules,
            deals=number,
            seed=seed,
            jobs=jobs,
            progress=report,
        )

    verdicts = []
    for claim in find(ids):
        number = deals or (min(claim.deals, QUICK_DEALS) if quick else claim.deals)
        beside = min(number, QUICK_LADDER_DEALS) if quick else number
        result = play(claim, claim.policy, number)
        ladder = [play(claim, policy, beside) for policy in claim.ladder]
        verdicts.append(Verdict(claim, result, ladder))
        if each is not None:
            each(verdicts[-1])
    return verdicts
