"""What all tests share: fewer deals without the compiler, and the slow mark."""

import os

import pytest
from hypothesis import settings

from acesim import jit

# A first call compiles, which no deadline allows for.
settings.register_profile("acesim", deadline=None, max_examples=100 if jit.ENABLED else 10)
settings.load_profile("acesim")


def pytest_collection_modifyitems(config, items):
    if os.environ.get("ACESIM_SLOW") == "1" or "slow" in config.getoption("markexpr"):
        return
    skip = pytest.mark.skip(reason="slow: set ACESIM_SLOW=1")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
