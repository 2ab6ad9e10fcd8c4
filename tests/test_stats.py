"""Intervals and tests against formulas and simulated truth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acesim import stats


@given(st.integers(1, 10**9), st.floats(0, 1))
def test_wilson_is_the_formula(deals, share):
    wins = round(share * deals)
    z = 1.959963984540054
    rate = wins / deals
    centre = (rate + z**2 / (2 * deals)) / (1 + z**2 / deals)
    half = z / (1 + z**2 / deals) * math.sqrt(rate * (1 - rate) / deals + z**2 / (4 * deals**2))
    low, high = stats.wilson(wins, deals)
    assert math.isclose(low, max(centre - half, 0), abs_tol=1e-12)
    assert math.isclose(high, min(centre + half, 1), abs_tol=1e-12)


@pytest.mark.parametrize("rate", [0.007, 0.023, 0.24])
def test_wilson_covers_the_truth_95_times_in_100(rate):
    """20,000 repetitions: the share covered is within 4 standard errors, 0.6 points, of 95 %."""
    rng = np.random.default_rng(1)
    wins, times = np.unique(rng.binomial(20_000, rate, size=20_000), return_counts=True)
    covered = 0
    for k, number in zip(wins, times, strict=True):
        low, high = stats.wilson(int(k), 20_000)
        covered += number * (low <= rate <= high)
    assert 0.944 <= covered / 20_000 <= 0.956


@pytest.mark.parametrize("rate", [0.007, 0.023, 0.24])
def test_the_deals_for_a_margin_reach_it(rate):
    deals = stats.deals_for_margin(rate, 0.0005)
    margin = stats.wilson_margin(round(rate * deals), deals)
    assert margin == pytest.approx(0.0005, rel=0.01)


def test_odds_and_rounding():
    assert stats.odds(0.025) == 40
    assert stats.odds(0.0) is None
    assert stats.rounding_range(43, 1) == (42.5, 43.5)


def test_the_test_of_distributions_tells_equal_from_different():
    rng = np.random.default_rng(2)
    weights = np.exp(-0.5 * ((np.arange(49) - 36) / 5) ** 2)
    weights /= weights.sum()
    p_values = [
        stats.same_distribution(rng.multinomial(10_000, weights), rng.multinomial(50_000, weights))
        for _ in range(400)
    ]
    # Uniform when they are equal: the mean of 400 is within 5 standard errors of one half.
    assert abs(np.mean(p_values) - 0.5) < 5 * math.sqrt(1 / 12 / 400)
    shifted = np.roll(weights, 1)
    p = stats.same_distribution(rng.multinomial(10_000, weights), rng.multinomial(50_000, shifted))
    assert p < 1e-6
    assert math.isnan(stats.same_distribution([5], [6]))
