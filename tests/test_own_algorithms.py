"""User algorithms: what a plan knows about them, and the trial of their first rounds."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find, texts_of
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, rollout
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.errors import UserError
from duelbench.experiment import trial
from duelbench.experiment.answers import Answer
from duelbench.experiment.class_checks import check_class
from duelbench.experiment.run import instance
from duelbench.preferences.regret import regret_table
from duelbench.processes import Processes
from tests.experiments import planned
from tests.mistakes import ANSWER, KERNELS, PLAIN, SPEC, Here, try_here

# What a plan knows about a class


def test_class_in_another_process(tmp_path):
    """Another process loads the class from the planned text, even if the file has changed since."""
    (tmp_path / "mine.py").write_text(KERNELS)
    kind = find("mine.py:Mine", tmp_path)
    (tmp_path / "mine.py").write_text("an edit")
    with Processes(1) as pool:
        assert pool.submit(described, kind(patience=3)).result() == ("mine", KERNELS, 3)


def described(algorithm, heartbeat):
    return algorithm.name, algorithm.source_text, algorithm.patience


# Errors in a class before it plays


def loaded(tmp_path, text):
    (tmp_path / "mine.py").write_text(text)
    return find("mine.py:Mine", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('name = "mine"', 'name = ""', "name = ", "the name of an algorithm must be text"),
        ("    select = staticmethod(select)", "    select: ClassVar = 3", "select: C", "select must be a function"),
    ],
)
def test_class_with_a_wrong_attribute(tmp_path, old, new, line, said):
    text = KERNELS.replace(old, new).replace("import NamedTuple", "import ClassVar, NamedTuple")
    with pytest.raises(UserError) as caught:
        check_class(loaded(tmp_path, text))
    assert caught.value.message.startswith(said)
    assert line in text.splitlines()[caught.value.line - 1]


# Which algorithms are tried, and when they are tried again


ANSWERS = [Answer(1, 0, 1, 1), Answer(2, 3, 1, 1)]


class Trials(Here):
    """A fake worker that records what is tried and gives scripted answers."""

    def __init__(self, *answers):
        self.tried, self.answers = [], list(answers)

    def __call__(self, texts):
        return self

    def call(self, function, *arguments):
        return self.submit(function, *arguments) if function is trial.first_answers else []

    def submit(self, function, series, seed, repeat, seconds, compiled=False):
        self.tried.append(("compiled" if compiled else "interpreted", *series.labels))
        return self.answers.pop(0) if self.answers else ANSWERS

    def result(self, task):
        if isinstance(task, Exception):
            raise task
        return task


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """Try a spec with its own file; return the trials and the output."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def tried(text, spec=SPEC, **options):
        (tmp_path / "mine.py").write_text(f"{text}\nHERE = {str(tmp_path)!r}\n")
        plan, trials, lines = planned(tmp_path, spec), Trials(), []
        with monkeypatch.context() as context:
            context.setattr(trial, "Worker", trials)
            trial.try_out(plan, lines.append, **options)
        return [how for how, *_ in trials.tried], lines, trials.tried

    return tried


ONCE = ["interpreted"]


def test_trial_once(tried):
    slow = "runs as plain Python, a hundred times slower than compiled: put @kernel before select and update"
    begins = [f"note: mine.py:Mine {slow}", "trying mine.py:Mine (not repeated until it or the spec changes)…"]
    assert tried(PLAIN)[:2] == (ONCE, begins)
    assert tried(PLAIN)[:2] == ([], [])
    assert tried(PLAIN.replace("first, second, 1", "second, first, 1"))[0] == ONCE
    assert tried(PLAIN, SPEC.replace("1e4", "1e5"))[0] == ONCE
    assert tried("# a comment\n" + PLAIN)[0] == []


def kernel_series(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "warm", lambda plays: None)  # here nothing is compiled
    (tmp_path / "mine.py").write_text(KERNELS)
    (series,) = planned(tmp_path, SPEC).series
    if not series.algorithm.kind.compiled():
        pytest.skip("nothing is compiled here")
    return series


def test_trial_compiled_differs(tmp_path, monkeypatch):
    series = kernel_series(tmp_path, monkeypatch)
    monkeypatch.setattr(trial, "Worker", Trials(ANSWERS, [ANSWERS[0], Answer(2, 3, 4, 1)]))
    with pytest.raises(UserError) as caught:
        trial.try_series(series, 1, 0)
    words = "select answers (3, 1, 1) as plain Python but (3, 4, 1) compiled, at t = 2:"
    assert caught.value.message.startswith(words)
    assert caught.value.line == KERNELS.splitlines().index("def select(state, t, last, rng):") + 1
    monkeypatch.setattr(trial, "Worker", trials := Trials())
    trial.try_series(series, 1, 0)
    trial.try_series(series, 1, 0, False)
    assert [how for how, *_ in trials.tried] == ["interpreted", "compiled", "interpreted"]


def test_trial_of_compiled_kernels(tmp_path):
    """In another process, compiled kernels give the same answers as plain Python."""
    (tmp_path / "mine.py").write_text(KERNELS)
    (series,) = planned(tmp_path, SPEC).series
    if not series.algorithm.kind.compiled():
        pytest.skip("nothing is compiled here")
    with trial.Worker(texts_of(series.algorithm.kind)) as worker:
        plain, machine = (
            worker.call(trial.first_answers, series, 1, 0, trial.COMPILED_SECONDS, how) for how in (False, True)
        )
    assert len(plain) == 300
    assert plain == machine


# The first rounds


HOLDS = "    if t > 40:\n        return first, first, min(3, last - t + 1)\n"


def first_answers(series):
    return trial.first_answers(series, 1, 0, 60, heartbeat=Here())


@pytest.mark.parametrize("more", ["", "feedback: {delay: 7}\n", "shuffle_arms: false\nregret: [copeland, borda]\n"])
def test_trial_is_the_beginning_of_the_run(tmp_path, monkeypatch, interpreted, more):
    try_here(monkeypatch)
    (tmp_path / "mine.py").write_text(PLAIN.replace(ANSWER, HOLDS + ANSWER))
    (series,) = planned(tmp_path, SPEC.replace("1e4", "200") + more + "checkpoints_per_decade: 0\n").series
    steps = first_answers(series)
    assert [steps[0].t, steps[-1].t + steps[-1].duels - 1] == [1, 200]
    assert {step.duels for step in steps} >= {1, 3}
    duels = np.zeros((6, 6), int)
    for step in steps:
        duels[step.first, step.second] += step.duels
    matrix = instance(series.dataset, 1, 0, series.spec.shuffle_arms)
    identity, algorithm = series.dataset.identity, series.build()
    streams = Streams(outcomes_stream(1, identity, 0), policy_stream(1, identity, 0, algorithm))
    problem = Problem(matrix.P, np.stack([regret_table(matrix, kind) for kind in series.spec.regret]))
    played = rollout(algorithm, problem, np.array(series.rows), streams, Rules(delay=series.dataset.delay))
    assert (played.duels == duels).all()
