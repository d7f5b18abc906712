"""The list of checks, each beside the mistakes made for it; their verdicts; and the same checks in pytest."""

import pytest

from duelbench.algorithms.catalogue import catalogue, users_file
from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.uniform import Uniform
from duelbench.conformance import verdicts as verdicts_module
from duelbench.conformance.case import ODD, SMALL, USUAL, Case, CheckFailed, NotApplicable, Size, Untested
from duelbench.conformance.checks import CHECKS, run_check
from duelbench.conformance.verdicts import Subject, verdicts
from duelbench.errors import UserError
from duelbench.experiment.class_checks import load_algorithm as users_class
from duelbench.experiment.trial import Worker
from tests.proved import EXPLORER, MISTAKES, PLAIN, REFERENCE, changed, toy

TWO = {name: USUAL[name] for name in ("cyclic4", "order of 4")}
ORDER = {"order of 4": USUAL["order of 4"]}
pytest_plugins = ["pytester"]
TINY = Size(0.01, 0.1, 0.01, 0.1, 60)


@pytest.mark.parametrize(("name", "runs"), [("edge cases", 30), ("delayed outcomes", 6), ("label invariance", 128)])
def test_right(name, runs, tmp_path):
    """Each run is reported to the watchdog, so that time limits do not depend on the number of runs.

    All checks of this algorithm pass in test_cli_test.py.
    """
    beats = []
    assert run_check(name, Case(toy(tmp_path, PLAIN), ORDER, None, SMALL, lambda: beats.append(1)))
    assert len(beats) >= runs


@pytest.mark.parametrize("name", ["declaration", "recommendation", "off-policy", "reference"])
def test_not_applicable(name, tmp_path):
    with pytest.raises(NotApplicable):
        run_check(name, Case(toy(tmp_path, PLAIN), ORDER, None, SMALL))


def test_right_holds_that_draw(tmp_path):
    said = run_check("holds", Case(toy(tmp_path, EXPLORER), ORDER, None, SMALL))
    assert "more or fewer duels of different arms" in said


LARGE = ("not exact at small t", "a fifth of the chance", "the duel that ends a hold")
"""Mistakes that only large samples show."""


@pytest.mark.parametrize(
    "mistake",
    [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * (each.name in LARGE)) for each in MISTAKES],
)
def test_mistake(mistake, tmp_path):
    instances, runs = (ORDER, 0.25) if mistake.name == "not exact at small t" else (TWO, 0.125)
    case = Case(toy(tmp_path, mistake.text), instances, None, Size(0.1, runs, 0.1, runs, 300))
    with pytest.raises((CheckFailed, ZeroDivisionError)) as error:
        run_check(mistake.property, case)
    assert mistake.said in str(error.value)


def test_every_check_has_a_mistake():
    assert {mistake.property for mistake in MISTAKES} == CHECKS.keys() - {"reference"}


DECLARES = ("    def start(", "    def declaration(self, state):\n        return None\n\n    def start(")
RECOMMENDS = ("    def start(", "    def recommendation(self, state):\n        return None\n\n    def start(")
NO_HOLDS = ("return champion, champion, min(last, due - 1) - t + 1", "return champion, champion, 1")
ENDLESS = ("due = first_round_reaching(least, state.alpha, 0.0)", "due = last + 1")
ALONE = ("    if least <= state.alpha * math.log(t):\n", "    if False:\n")
FIRST = "    most, ties = -1, 0\n"
NEVER_ENDS = "no hold ended on its own, so an off-by-one hold would not be detected"


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("declaration", [DECLARES], "no run of 200 rounds declares a winner: give it larger gaps"),
        ("recommendation", [RECOMMENDS], "recommends no arm of its own"),
        ("holds", [NO_HOLDS], r"no answer in \d+ rounds is a hold"),
        ("holds", [ENDLESS, ("state.alpha * math.log(t)", "state.alpha")], NEVER_ENDS),
        ("delayed outcomes", [ALONE, ENDLESS], "no two different arms duelled"),
    ],
)
def test_untested(name, changes, said, tmp_path):
    case = Case(toy(tmp_path, changed(PLAIN, *changes)), ORDER, None, TINY)
    with pytest.raises(Untested, match=said):
        run_check(name, case)


@pytest.mark.usefixtures("interpreted")
def test_untested_of_the_catalogue():
    with pytest.raises(Untested, match="no run has any regret"):
        run_check("label invariance", Case(Rucb(), {"ties": ODD["no difference"]}, None, TINY))
    with pytest.raises(Untested, match="no duel that it has not asked for"):
        run_check("off-policy", Case(Uniform(), ORDER, None, TINY))


# Verdicts, from separate processes.


def subject(directory, text, reference=None):
    (directory / "toy.py").write_text(text, encoding="utf-8")
    against = None
    if reference is not None:
        (directory / "plain.py").write_text(reference, encoding="utf-8")
        against = users_file("plain.py:my_policy", directory)
    return Subject(users_class("toy.py:MyPolicy", directory), {"cyclic4": USUAL["cyclic4"].P}, against, TINY)


def test_hang_exit_raise(tmp_path, monkeypatch):
    """A hang, an exit and an error each fail their check, with the cause, and the next check is made.

    Only the check that hangs has a short time limit, which begins after the process has loaded everything.
    """
    monkeypatch.setattr(verdicts_module, "NAMES", ("edge cases", "recommendation", "reproducible", "prefix"))
    call = Worker.call

    def short(worker, function, subject, *rest):
        return call(worker, function, subject, *((rest[0], 2.0) if rest and rest[0] == "recommendation" else rest))

    monkeypatch.setattr(Worker, "call", short)
    text = changed(
        PLAIN,
        ("    def start(self, arms, horizon):\n", "    def recommendation(self, state):\n        while True:\n"
         "            pass\n\n    def start(self, arms, horizon):\n        if arms == 3:\n            0 / 0\n"
         "        if horizon == 200:\n            import os\n            os._exit(3)\n"),
    )  # fmt: skip
    found = {each.name: each for each in verdicts(subject(tmp_path, text))}
    assert [each.mark for each in found.values()] == ["FAIL", "FAIL", "FAIL", "ok"]
    line = text.splitlines().index("            0 / 0") + 1
    assert found["edge cases"].why.startswith(f"{tmp_path / 'toy.py'}:{line}: start fails with ZeroDivisionError")
    assert "at recommendation, too slow or endless: it took longer than 0:00:02" in found["recommendation"].why
    assert "process ended with exit code 3" in found["reproducible"].why


def test_reference_that_cannot_be_called(tmp_path):
    with pytest.raises(UserError, match=r"plain.py: there is no function 'my_policy'"):
        list(verdicts(subject(tmp_path, PLAIN, "")))


@pytest.mark.slow
def test_full_size():
    """No check of RUCB fails with the full size; the catalogue's tests use the small size."""
    found = list(verdicts(Subject(catalogue()["rucb"], {label: each.P for label, each in USUAL.items()})))
    assert [each for each in found if each.mark == "FAIL"] == []
    assert "compiled = interpreted" in {each.name for each in found if each.mark == "ok"}


# Checks as pytest tests.


SUITE = """
from toy import MyPolicy
from plain import my_policy
from duelbench.conformance.case import USUAL
from duelbench.testing import Size, checks

@checks(MyPolicy, MyPolicy(alpha=1.0), reference=my_policy, instances={"cyclic4": USUAL["cyclic4"].P},
        size=Size(0.01, 0.1, 0.01, 0.1, 60))
def test_conformance(check):
    check()
"""


def test_pytest(inner):
    wrong = changed(PLAIN, ("        return champion, pick(", "        return champion + 1, pick("))
    inner.makepyfile(toy=wrong.replace('name = "my-policy"', 'name = "toy"'), plain=REFERENCE, test_suite=SUITE)
    inner.syspathinsert()
    options = ("-p", "no:cacheprovider", "-p", "no:xdist", "-v", "-rs", "--no-header")
    done = inner.runpytest_inprocess(*options, "-k", "valid or edge or holds or declaration")
    said = done.stdout.str()
    assert "test_suite.py::test_conformance[MyPolicy-valid-answers]" in said
    assert "[MyPolicy(alpha=1.0)-holds]" in said
    assert "CheckFailed: on two arms: select answered (2, " in said
    assert "SKIPPED" in said and "it declares no winner" in said
