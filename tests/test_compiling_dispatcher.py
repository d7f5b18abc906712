"""Kernels: one function, compiled for Python and for other kernels, and plain Python to whoever asks."""

import numba
import pytest

from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.jit import kernel
from tests.comparison import output_of


@kernel
def halved(x, by=2.0):
    """Return x / 2."""
    return x / by


@kernel
def quartered(x):
    return halved(halved(x))


def test_a_kernel_keeps_the_function_and_its_words():
    assert (halved.__name__, halved.__doc__, halved.py_func(3.0)) == ("halved", "Return x / 2.", 1.5)


def test_python_kernels_and_compiled_code_call_it_alike():
    assert isinstance(halved, Kernel)
    assert quartered(8.0) == 2.0
    outside = numba.njit(lambda x: halved(x) + 1.0)
    assert outside(8.0) == 5.0
    assert halved.for_kernels is halved.for_kernels
    assert halved.for_python is halved.for_python


INTERPRETED = """
from duelbench.compiling.jit import kernel
@kernel
def f(x): return x + 1
print(f(1), type(f).__name__)
"""


@pytest.mark.parametrize("interpreted", [True, False])
def test_without_compiling_it_is_the_function(interpreted):
    answer, kind = output_of(INTERPRETED, interpreted=interpreted).split()
    assert answer == "2"
    assert (kind == "function") == interpreted
