"""What a run returns: how many deals ended with each score, and under which conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acesim import stats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Result:
    """Scores of ``deals`` deals, from index ``first`` on, under one policy.

    ``score_counts`` (int64[max_score + 1]) holds the number of deals by score; a deal is won when
    its score is the maximum. ``seconds`` is wall-clock time. Results of the same conditions on
    neighbouring deals add up with ``+``.
    """

    game: str
    variant: str
    rules: Mapping[str, str]
    policy: str
    seed: int
    first: int
    score_counts: npt.NDArray[np.int64]
    seconds: float
    version: str
    confidence: float = stats.CONFIDENCE

    @property
    def deals(self) -> int:
        """Number of deals played."""
        return int(self.score_counts.sum())

    @property
    def wins(self) -> int:
        """Number of deals won."""
        return int(self.score_counts[-1])

    @property
    def win_rate(self) -> float:
        """Share of deals won."""
        return self.wins / self.deals

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval for the win rate, at ``confidence``."""
        return stats.wilson(self.wins, self.deals, self.confidence)

    @property
    def one_in(self) -> float | None:
        """Deals played for each one won, or None when none was."""
        return stats.odds(self.win_rate)

    @property
    def score_mean(self) -> float:
        """Mean score."""
        return float(self.score_counts @ np.arange(len(self.score_counts))) / self.deals

    def __add__(self, other: Result) -> Result:
        """Return both runs as one. Raises ValueError unless they fit, end to end."""
        mine, theirs = (
            (r.game, r.variant, dict(r.rules), r.policy, r.seed, r.version) for r in (self, other)
        )
        if mine != theirs or self.first + self.deals != other.first:
            raise ValueError("only runs of the same conditions on neighbouring deals add up")
        counts = self.score_counts + other.score_counts
        seconds = self.seconds + other.seconds
        return Result(
            self.game, self.variant, self.rules, self.policy, self.seed, self.first,
            counts, seconds, self.version, self.confidence,
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """Return the result as plain values under the keys of the command line's JSON."""
        low, high = self.interval
        return {
            "game": self.game,
            "variant": self.variant,
            "rules": dict(self.rules),
            "policy": self.policy,
            "seed": self.seed,
            "first": self.first,
            "deals": self.deals,
            "wins": self.wins,
            "win_rate": self.win_rate,
            "ci_low": low,
            "ci_high": high,
            "confidence": self.confidence,
            "one_in": self.one_in,
            "score_mean": self.score_mean,
            "score_counts": self.score_counts.tolist(),
            "seconds": self.seconds,
            "deals_per_second": self.deals / self.seconds if self.seconds > 0 else None,
            "version": self.version,
        }

    def frame(self) -> pd.DataFrame:
        """Return a tidy frame: a row a score, the conditions in columns; frames concatenate.

        Columns: game, variant, one for each rule switch, policy, seed, first, version, score and
        deals.
        """
        import pandas as pd

        frame = pd.DataFrame(
            {"score": np.arange(len(self.score_counts)), "deals": self.score_counts}
        )
        conditions: dict[str, str | int] = {
            "game": self.game,
            "variant": self.variant,
            **self.rules,
            "policy": self.policy,
            "seed": self.seed,
            "first": self.first,
            "version": self.version,
        }
        for place, (name, value) in enumerate(conditions.items()):
            frame.insert(place, name, value)
        return frame
