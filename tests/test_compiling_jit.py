"""What kernels may do."""

import numpy as np
import pytest

from duelbench.compiling.jit import kernel, rare_kernel


@rare_kernel
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@kernel
def scaled(x, by=2.0):
    if x < 0.0:
        raise ValueError("x is negative")
    return x * by


@kernel
def total(n, x):
    return factorial(n) + factorial(3) + scaled(x) + scaled(x, by=3.0) + scaled(x, 1)


def test_kernels_may_recurse_raise_and_have_defaults():
    assert total(5, np.float64(1.0)) == 120 + 6 + 2.0 + 3.0 + 1.0
    with pytest.raises(ValueError, match="x is negative"):
        total(5, np.float64(-1.0))
