"""Three tiers, one result; and what happens under a numba that is not as expected."""

import contextlib
import os
import subprocess
import sys

import pytest

from duelbench.compiling import inlining, tiers
from duelbench.compiling.jit import Kernel
from duelbench.compiling.trial import trial
from duelbench.errors import UserError
from tests.comparison import ROOT

PLAY = """
import hashlib
import sys
from pathlib import Path
import numpy as np
from duelbench.algorithms.catalogue import find
from tests.comparison import simulate
from duelbench.engine.streams import stream
from tests.comparison import order

matrix = order(5, 0.65, winners=3)
for name in sys.argv[1:]:
    streams = stream(1, environment=name), stream(1, policy=name)
    course = simulate(find(name, Path())(), matrix.P, matrix.P[None], np.array([10, 100, 3000]), *streams)
    results = [course.regret.tobytes(), course.duels.tobytes(), *(str(each.bit_generator.state) for each in streams)]
    print(name, hashlib.sha256(repr(results).encode()).hexdigest())
"""
ONE_OF_EACH_FAMILY = ("rucb", "rmed1", "if", "doubler")


def played(tier, *algorithms, **switches):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DUELBENCH_TIER": str(tier)} | switches
    command = [sys.executable, "-W", "error", "-c", PLAY, *algorithms]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("tier", [1, 2])
def test_all_tiers_give_the_same_bits(tier):
    """D-TS takes 20 seconds to compile in tier 1: ``make test-all`` has it there too."""
    names = (*ONE_OF_EACH_FAMILY, "d-ts") if tier == 2 else ONE_OF_EACH_FAMILY
    lines = played(3, *names)
    assert len(set(lines)) == len(names)
    assert played(tier, *names) == lines


@pytest.mark.parametrize("number", [1, 2, 3])
def test_every_tier_passes_its_trial(number):
    assert trial(number) == ""


def test_the_trial_notices_lost_references(monkeypatch):
    monkeypatch.setattr(inlining, "ForPython", NotCounting)
    assert trial(2) == "tier 2 loses count of references"


class NotCounting(inlining.Compiler):
    def define_pipelines(self):
        self.state.flags.no_cpython_wrapper = False
        return super().define_pipelines()


def test_the_trial_notices_wrong_results(monkeypatch):
    class Wrong(Kernel):
        def __call__(self, *arguments):
            arm, value = super().__call__(*arguments)
            return arm, value + 1e-9

    monkeypatch.setattr("duelbench.compiling.trial.Kernel", Wrong)
    assert trial(2) == "tier 2 computes something else"


def test_the_trial_notices_exceptions_that_get_lost(monkeypatch):
    class Silent(Kernel):
        def __call__(self, *arguments):
            with contextlib.suppress(ValueError):
                return super().__call__(*arguments)

    monkeypatch.setattr("duelbench.compiling.trial.Kernel", Silent)
    assert trial(2) == "tier 2 raises nothing"


def test_the_trial_notices_a_method_that_is_gone(monkeypatch):
    monkeypatch.delattr("numba.core.codegen.CPUCodeLibrary._finalize_final_module")
    assert trial(3).startswith("AttributeError in tier 3")


BROKEN = """
import sys
import numba.core.codegen
del numba.core.codegen.JITCodeLibrary
from duelbench.compiling.tiers import tier
print(tier().number)
"""


def test_the_tier_below_serves_and_one_line_says_so_once(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop(tiers.VARIABLE, None)
    heard = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", BROKEN], env=environment, capture_output=True, text=True)
        assert done.stdout == "2\n"
        heard += done.stderr.splitlines()
    assert len(heard) == 1
    assert "is not as expected (ImportError in tier 3: cannot import name 'JITCodeLibrary'" in heard[0]


def test_a_numba_that_is_not_known_is_tried_in_a_process_of_its_own(monkeypatch, tmp_path, capsys):
    """It may not survive."""
    monkeypatch.setattr(tiers, "cache_directory", lambda: tmp_path / "first")
    monkeypatch.setattr(tiers.numba, "__version__", "9.1.0")
    assert tiers.serves(2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(tiers, "cache_directory", lambda: tmp_path / "second")
    (tmp_path / "python").write_text("#!/bin/sh\nkill -SEGV $$\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(tiers.sys, "executable", str(tmp_path / "python"))
    assert not tiers.serves(2)
    assert "numba 9.1.0 is not as expected (its trial ended with exit code -11)" in capsys.readouterr().err
    assert not tiers.serves(2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("wanted", "number"), [("1", 1), ("2", 2), ("3", 3), ("", 3)])
def test_a_variable_chooses_the_tier(monkeypatch, wanted, number):
    monkeypatch.setenv(tiers.VARIABLE, wanted)
    assert tiers.tier.__wrapped__().number == number


def test_there_is_no_fourth_tier(monkeypatch):
    monkeypatch.setenv(tiers.VARIABLE, "4")
    with pytest.raises(UserError, match="set it to 1, 2 or 3"):
        tiers.tier.__wrapped__()
