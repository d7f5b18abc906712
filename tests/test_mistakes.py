"""Mistakes in user algorithms: each error names the line and the cause, as in ``mistakes.txt``."""

import pytest
from numba.core import config

from duelbench.errors import UserError
from duelbench.experiment import trial
from duelbench.experiment.plan import make_plan
from duelbench.experiment.trial import try_series
from duelbench.spec.model import load
from tests.commands import here
from tests.mistakes import MISTAKES, SPEC, try_here

pytestmark = pytest.mark.filterwarnings("ignore:Field name")  # pydantic's, of a parameter called like a method
QUICK = [each for each in MISTAKES if not each.fatal and not each.compiles]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("mistake", QUICK, ids=lambda each: each.name)
def test_trial(mistake, tmp_path, monkeypatch):
    try_here(monkeypatch)
    monkeypatch.setattr(config, "DISABLE_JIT", 0)  # until the trial begins
    base = tmp_path.resolve()
    (base / "mine.py").write_text(mistake.text)
    (base / "spec.yaml").write_text(SPEC)
    with pytest.raises(UserError) as error:
        (series,) = make_plan(load(base / "spec.yaml")).series
        try_series(series, 1, 0, compiled=False)
    assert mistake.is_answered_by(str(error.value), base / "mine.py"), error.value


CHOSEN = ("endless loop in start", "a segfault")
OTHERS = [each for each in MISTAKES if each not in QUICK]


@pytest.mark.parametrize(
    "mistake",
    [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * (each.name not in CHOSEN)) for each in OTHERS],
)
def test_command(tmp_path, monkeypatch, mistake):
    """Whatever a mistake does to its process, the command survives."""
    monkeypatch.setattr(trial, "PLAIN_SECONDS", 5.0)
    base = tmp_path.resolve()
    monkeypatch.chdir(base)
    (base / "mine.py").write_text(mistake.text)
    (base / "spec.yaml").write_text(SPEC)
    done = here("check", base / "spec.yaml")
    said = done.stderr.splitlines()[-1].removeprefix("error: ")
    assert mistake.is_answered_by(said, base / "mine.py"), said
    assert (done.exit_code, "Traceback" in done.stderr) == (2, False)
