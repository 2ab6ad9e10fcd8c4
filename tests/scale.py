"""How many deals a test takes: all with the compiler, few where kernels run as plain Python."""

import pytest

from acesim import jit

compiled_only = pytest.mark.skipif(not jit.ENABLED, reason="needs compiled kernels")


def deals(number: int, without_compiler: int = 20) -> int:
    """Return ``number``, or a few where the kernels run as plain Python."""
    return number if jit.ENABLED else min(number, without_compiler)
