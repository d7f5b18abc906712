"""The trial of a tier notices what may go wrong with it."""

import contextlib

import pytest

from duelbench.compiling import inlining
from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.trial import trial


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
