"""The third tier: each kernel is compiled once, into what Python calls, and nothing else is emitted or kept."""

import os
import subprocess
import sys

import pytest

from tests.comparison import ROOT

SCRIPT = """
import numpy as np
from llvmlite.binding import Linkage
from numba.core import event

from duelbench.compiling.jit import kernel, rare_kernel

@kernel
def inlined(n, rng):
    return rng.binomial(n, 0.25)

@rare_kernel
def called(n, rng):
    return rng.binomial(n, 0.5)

@kernel
def outermost(n, rng):
    return inlined(n, rng) + inlined(7, rng) + inlined(9, rng) + called(n, rng) + called(8, rng) + rng.binomial(n, 0.75)

with event.install_recorder("numba:compile") as compiled:
    print(outermost(40, np.random.default_rng(3)))
rng = np.random.default_rng(3)
print(sum(rng.binomial(n, p) for n, p in [(40, .25), (7, .25), (9, .25), (40, .5), (8, .5), (40, .75)]))
names = [each.data["dispatcher"].py_func.__name__ for _, each in compiled.buffer if each.is_start]
for name in ("inlined", "called", "outermost", "random_binomial"):
    print(name, names.count(name))
(whole,) = outermost.for_python.overloads.values()
shared = [each.name for each in whole.library._final_module.functions if each.linkage == Linkage.linkonce_odr]
print(shared)
for each in (inlined, called):
    compiled = each.for_kernels.overloads.values()
    print(*(result.library.get_pointer_to_function(result.fndesc.llvm_func_name) for result in compiled))
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    directory = tmp_path_factory.mktemp("compiled")
    script = directory / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(directory / "cache")}
    environment.pop("DUELBENCH_TIER", None)
    output = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return output, [file.name for file in (directory / "cache").rglob("*.nbi")]


def test_kernels_and_what_numba_has_are_compiled_once(printed):
    """Whether they are called with literals or numbers, inlined, called or called from Python."""
    assert printed[0][2:6] == ["inlined 1", "called 1", "outermost 1", "random_binomial 1"]


def test_kernels_that_kernels_call_are_neither_emitted_nor_kept(printed):
    output, files = printed
    assert output[7:] == ["0", "0"]
    assert len(files) == 1
    assert "outermost" in files[0]


def test_what_a_kernel_calls_is_its_own(printed):
    """No other code may call it, so that the optimiser may change how it is called."""
    assert printed[0][6] == "[]"


def test_a_linked_kernel_computes_what_python_does(printed):
    assert printed[0][0] == printed[0][1]
