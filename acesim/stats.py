"""Intervals and tests, thin over scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
"""The confidence of intervals unless another is asked for."""


def wilson(wins: int, deals: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's score interval for a win rate (Wilson 1927), as scipy computes it.

    ``wins`` of ``deals`` deals were won; both ends are rates between 0 and 1.
    """
    from scipy.stats import binomtest

    interval = binomtest(wins, deals).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)


def wilson_margin(wins: int, deals: int, confidence: float = CONFIDENCE) -> float:
    """Return half the width of Wilson's interval, a rate."""
    low, high = wilson(wins, deals, confidence)
    return (high - low) / 2


def deals_for_margin(rate: float, margin: float, confidence: float = CONFIDENCE) -> int:
    """Return how many deals narrow a win rate's interval to ``rate`` plus or minus ``margin``.

    The normal approximation, z^2 rate (1 - rate) / margin^2; both are rates.
    """
    from scipy.stats import norm

    z = float(norm.ppf((1 + confidence) / 2))
    return math.ceil(z**2 * rate * (1 - rate) / margin**2)


def odds(rate: float) -> float | None:
    """Return x where a rate is "1 in x", or None for a rate of 0."""
    return 1 / rate if rate > 0 else None


def rounding_range(value: float, step: float) -> tuple[float, float]:
    """Return the numbers that are rounded to ``value`` when rounded to multiples of ``step``."""
    return value - step / 2, value + step / 2


def same_distribution(
    ours: Sequence[int] | npt.NDArray[np.int64],
    theirs: Sequence[int] | npt.NDArray[np.int64],
    least: int = 10,
) -> float:
    """Return the p-value of a chi-square test that two samples come from one distribution.

    Both are counts by category, in the same order. Neighbouring categories are put together until
    each holds at least ``least`` of both samples' total, expected in the smaller sample.
    """
    from scipy.stats import chi2_contingency

    table = np.array([ours, theirs], dtype=float)
    share = min(table[0].sum(), table[1].sum()) / table.sum()
    groups: list[npt.NDArray[np.float64]] = []
    group = np.zeros(2)
    for column in table.T:
        group = group + column
        if group.sum() * share >= least:
            groups.append(group)
            group = np.zeros(2)
    if groups:
        groups[-1] = groups[-1] + group
    if len(groups) < 2:
        return math.nan
    return float(chi2_contingency(np.array(groups).T, correction=False).pvalue)
