"""User algorithms: what a plan knows about them, and the trial of their first rounds."""

import os
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find
from duelbench.arrays import Record, record
from duelbench.compiling.imports import OWN_FILE
from duelbench.compiling.jit import is_compiled
from duelbench.compiling.jit import kernel as decorate
from duelbench.engine.play import Problem
from duelbench.engine.rollout import Streams, rollout
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.errors import UserError
from duelbench.experiment.run import instance
from duelbench.experiment.trial import kernels, rounds, trying
from duelbench.experiment.trial.child import Child
from duelbench.experiment.trial.contract import check_class, check_state
from duelbench.experiment.trial.described import described
from duelbench.experiment.trial.kernels import compile_apart
from duelbench.experiment.trial.rounds import Step, first_difference
from duelbench.experiment.trial.watched import watched
from duelbench.preferences.regret import regret_table
from tests.experiments import planned
from tests.mistakes import ANSWER, KERNELS, PLAIN, SPEC, Here, try_here

# What a plan knows about a class


TELLS = "import os\nwith open(__file__ + '.pids', 'a') as file:\n    print(os.getpid(), file=file)\n"


def test_described(tmp_path):
    (tmp_path / "mine.py").write_text(KERNELS)
    with Child() as child:
        kind = described("mine.py:Mine", tmp_path, {"patience": 3}, child)
        again, other = (described("mine.py:Mine", tmp_path, each, child) for each in ({"patience": 3}, {}))
    loaded = kind.load()
    for attribute in ("name", "citation", "uses_horizon", "supports_delay", "source_text", "helpers"):
        assert getattr(kind, attribute) == getattr(loaded, attribute)
    assert (kind.declares(), kind.compiled(), kind.all_text()) == (False, loaded.compiled(), loaded.all_text())
    assert (kind.parameters, other.parameters) == ({"patience": 3}, {"patience": 20})
    assert kind != other
    assert (kind, hash(kind)) == (again, hash(again))


@pytest.mark.parametrize(
    ("parameters", "key", "said"),
    [({"patience": 0}, ("patience",), "at least 1"), ({"patient": 3}, ("patient",), "did you mean 'patience'?")],
)
def test_described_with_a_wrong_parameter(tmp_path, parameters, key, said):
    (tmp_path / "mine.py").write_text(KERNELS)
    with Child() as child, pytest.raises(UserError) as caught:
        described("mine.py:Mine", tmp_path, parameters, child)
    assert (caught.value.key, caught.value.source, said in caught.value.message) == (key, None, True)


def test_plan_runs_no_code_of_the_file(tmp_path):
    (tmp_path / "mine.py").write_text(TELLS + KERNELS)
    plan = planned(tmp_path, SPEC)
    assert [series.key(1, 0) for series in plan.series]
    pids = (tmp_path / "mine.py.pids").read_text().split()
    assert len(pids) == 1
    assert int(pids[0]) != os.getpid()


# Errors in a class before it plays


def found(tmp_path, text):
    (tmp_path / "mine.py").write_text(text)
    return find("mine.py:Mine", tmp_path), str(tmp_path / "mine.py")


def test_state_of_plain_python(tmp_path):
    kind, file = found(tmp_path, PLAIN.replace("    State = Counts\n", ""))
    check_class(kind, file)
    check_state(kind, {"wins": []}, False, file)


def test_arguments_with_other_names(tmp_path):
    other = KERNELS.replace("state, t, last, rng", "s, now, end, random, more=1").replace("state.", "s.", 2)
    check_class(*found(tmp_path, other.replace("(s.arms, rng)", "(s.arms, random)")))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("State = Counts", "State = Counts\n    citation = None", "citation = None", "citation must be text, not None"),
        ('name = "mine"', 'name = ""', "name = ", "the name of an algorithm must be text"),
        ("    select = staticmethod(select)", "    select: ClassVar = 3", "select: C", "select must be a function"),
    ],
)
def test_class_with_a_wrong_attribute(tmp_path, old, new, line, said):
    text = KERNELS.replace(old, new).replace("import NamedTuple", "import ClassVar, NamedTuple")
    with pytest.raises(UserError) as caught:
        check_class(*found(tmp_path, text))
    assert caught.value.message.startswith(said)
    assert line in text.splitlines()[caught.value.line - 1]


def test_state_of_another_class(tmp_path):
    kind, file = found(tmp_path, KERNELS)
    other = type("Other", (kind.State,), {})
    with pytest.raises(UserError, match="start has returned a Other, but State is Counts"):
        check_state(kind, other(2, np.zeros(2), np.zeros(1)), True, file)


# Which algorithms are tried, and when again


STEPS = [Step(1, 0, 1, 1), Step(2, 3, 1, 1)]


class Trials(Here):
    """Records questions and gives scripted answers."""

    def __init__(self, compiled=STEPS):
        self.asked, self.compiled_steps = [], compiled

    def __call__(self):
        return self

    def call(self, function, series, *arguments, files):
        self.asked.append((function.__name__, *series.labels))
        if function.__name__ == "interpreted":
            return STEPS
        if isinstance(self.compiled_steps, Exception):
            raise self.compiled_steps
        return self.compiled_steps


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """Try a spec with its own file; return the trials and the output."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    try_here(monkeypatch)

    def tried(text, spec=SPEC, compiled=STEPS, **options):
        (tmp_path / "mine.py").write_text(f"{text}\nHERE = {str(tmp_path)!r}\n")
        plan, trials, said = planned(tmp_path, spec), Trials(compiled), []
        with monkeypatch.context() as context:
            context.setattr(trying, "Child", trials)
            trying.try_out(plan, said.append, **options)
        return [name for name, *_ in trials.asked], said, trials.asked

    return tried


def test_trial_once(tried):
    slow = "runs as plain Python, a hundred times slower than compiled: put @kernel before select and update"
    begins = [f"note: mine.py:Mine {slow}", "trying mine.py:Mine (not repeated until it changes)…"]
    assert tried(PLAIN)[:2] == (["interpreted"], begins)
    assert tried(PLAIN)[:2] == ([], [])
    assert tried(PLAIN.replace("first, second, 1", "second, first, 1"))[0] == ["interpreted"]
    assert tried(PLAIN, SPEC.replace("1e4", "1e5"))[0] == ["interpreted"]
    assert tried("# a comment\n" + PLAIN)[0] == []


def test_trial_notes_undefined_numbers(tmp_path, monkeypatch, capfd, interpreted):
    """One note for a line, whichever of NumPy's warnings it would give."""
    monkeypatch.setattr(rounds, "silence", lambda: None)
    text = PLAIN.replace(ANSWER, f"    if state.wins[0] / state.wins[1] > 0.5:\n        first = 0\n{ANSWER}")
    (tmp_path / "mine.py").write_text(text)
    (series,) = planned(tmp_path, SPEC).series
    rounds.interpreted(series, 1, 0, Here())
    (note,) = capfd.readouterr().err.splitlines()
    line = text.splitlines().index("    if state.wins[0] / state.wins[1] > 0.5:") + 1
    end = "invalid value encountered in scalar divide (the result is NaN, and no comparison with NaN is true)"
    assert note == f"note: {tmp_path / 'mine.py'}:{line}: {end}"


def test_trial_with_fewest_and_most_arms(tried):
    many = SPEC.replace("[six-rankers]", "[cyclic4, six-rankers, {name: btl-uniform, arms: [5, 9]}]")
    asked = tried(PLAIN, many.replace("['mine.py:Mine']", "[rucb, {name: 'mine.py:Mine', patience: [1, 2]}]"))[2]
    assert asked == [
        ("interpreted", dataset, f"Mine-patience={patience}")
        for patience in (1, 2)
        for dataset in ("cyclic4", "btl-uniform-arms=9")
    ]


def kernel_series(tmp_path):
    (tmp_path / "mine.py").write_text(KERNELS)
    (series,) = planned(tmp_path, SPEC).series
    if not series.algorithm.kind.kernels:
        pytest.skip("nothing is compiled here")
    return series


def test_trial_compiled_differs(tmp_path, monkeypatch):
    series = kernel_series(tmp_path)
    monkeypatch.setattr(trying, "Child", Trials([STEPS[0], Step(2, 3, 4, 1)]))
    with pytest.raises(UserError) as caught:
        trying.try_series(series, series.algorithm.kind, 1, 0, True)
    words = "select answers (3, 1, 1) as plain Python but (3, 4, 1) compiled, at t = 2 with 6 arms"
    assert caught.value.message.startswith(words)
    assert caught.value.line == KERNELS.splitlines().index("def select(state, t, last, rng):") + 1
    monkeypatch.setattr(trying, "Child", trials := Trials())
    trying.try_series(series, series.algorithm.kind, 1, 0, True)
    trying.try_series(series, series.algorithm.kind, 1, 0, False)
    assert [name for name, *_ in trials.asked] == ["interpreted", "compiled", "interpreted"]


def test_trial_dies_only_compiled(tmp_path, monkeypatch):
    series = kernel_series(tmp_path)
    monkeypatch.setattr(trying, "Child", Trials(UserError("round t = 2: it was killed", source="mine.py")))
    with pytest.raises(UserError, match=r"mine.py:18: round t = 2: it was killed .compiled code only"):
        trying.try_series(series, series.algorithm.kind, 1, 0, True)


# The first rounds


HOLDS = "    if t > 40:\n        return first, first, min(3, last - t + 1)\n"


@pytest.mark.parametrize("more", ["", "feedback: {delay: 7}\n", "shuffle_arms: false\nregret: [copeland, borda]\n"])
def test_trial_is_the_beginning_of_the_run(tmp_path, monkeypatch, interpreted, more):
    try_here(monkeypatch)
    (tmp_path / "mine.py").write_text(PLAIN.replace(ANSWER, HOLDS + ANSWER))
    (series,) = planned(tmp_path, SPEC.replace("1e4", "200") + more).series
    steps = rounds.interpreted(series, 1, 0, Here())
    assert [steps[0].t, steps[-1].t + steps[-1].duels - 1] == [1, 200]
    assert {step.duels for step in steps} >= {1, 3}
    duels = np.zeros((6, 6), int)
    for step in steps:
        duels[step.first, step.second] += step.duels
    matrix = instance(series.dataset, 1, 0, series.shuffle_arms)
    identity, algorithm = series.dataset.dataset.identity(), series.algorithm.build()
    streams = Streams(outcomes_stream(1, identity, 0), policy_stream(1, identity, 0, algorithm))
    problem = Problem(matrix.P, np.stack([regret_table(matrix, kind) for kind in series.regret]))
    played = rollout(algorithm, problem, series.checkpoints, streams, rounds.Rules(delay=series.delay))
    assert (played.duels == duels).all()


def test_number_of_answers(tmp_path, monkeypatch, interpreted):
    """It depends only on the number of arms."""
    try_here(monkeypatch)
    (tmp_path / "mine.py").write_text(PLAIN)
    plan = planned(tmp_path, SPEC.replace("six-rankers", "{name: btl-uniform, arms: [10, 20, 60]}"))
    assert [len(rounds.interpreted(series, 1, 0, Here())) for series in plan.series] == [300, 75, 30]


def test_first_difference():
    one = [Step(1, 0, 1, 1), Step(2, 0, 1, 1), Step(3, 0, 0, 5)]
    assert first_difference(one, one) is None
    assert first_difference(one, one[:2]) is None
    other = [one[0], Step(2, 1, 0, 1), one[2]]
    assert first_difference(one, other) == (one[1], other[1])
    assert str(other[1]) == "(1, 0, 1)"


# Arrays that refuse a computed index below 0


class State(NamedTuple):
    wins: np.ndarray
    table: np.ndarray
    place: Record
    arms: int


def new():
    return State(np.arange(4), np.arange(12.0).reshape(4, 3), record(count=2), 4)


def users(text, path, state, **names):
    """Run a line as in a user's file."""
    path.write_text(text + "\n")
    place = {"__name__": f"{OWN_FILE}x", "state": state, "np": np, **names}
    exec(compile(text, str(path), "exec"), place)
    return place


@pytest.mark.parametrize(
    "text",
    ["state.table[1, k] = 2", "state.table[0][k] = 1", "x = state.place[k].count", "x = state.wins[np.int64(k)]"],
)
def test_watched_index_below_0(tmp_path, text):
    with pytest.raises(IndexError, match=r"the index -1 of .* is negative"):
        users(text, tmp_path / "a.py", watched(new()), k=-1)
    users(text, tmp_path / "b.py", watched(new()), k=0)


@pytest.mark.parametrize("text", ["state.wins[-1] += 1", "x = state.table[0, -1]", "x = state.wins[:-1]"])
def test_watched_index_written_below_0(tmp_path, text):
    users(text, tmp_path / "a.py", watched(new()))


def test_watched_by_other_code():
    assert watched(new()).wins[int("-1")] == 3


def test_watched_arrays_compute(tmp_path):
    seen, plain = watched(new()), new()
    assert type(seen) is State
    assert (seen.table.sum(axis=0) == plain.table.sum(axis=0)).all()
    seen.place[0].count += 5
    assert seen.place[0].count == 7
    assert seen.wins.argmax() == 3
    seen.wins[2] = 9
    assert seen.wins.tolist() == [0, 1, 9, 3]


def test_watched_attributes(tmp_path):
    class Mine:
        def __init__(self):
            self.wins = np.zeros(3)

    with pytest.raises(IndexError, match="of wins"):
        users("state.wins[k] = 1", tmp_path / "a.py", watched(Mine()), k=-2)
    assert watched([1, 2]) == [1, 2]


# Kernels are compiled in a separate process


@decorate
def compiles():
    return 1


def kinds(base, text):
    (base / "mine.py").write_text(text)
    return [series.algorithm.kind for series in planned(base, SPEC).series]


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled(compiles), reason="nothing is compiled here")
def test_compile_apart(tmp_path, monkeypatch):
    said = []
    wrong = kinds(tmp_path, KERNELS.replace(ANSWER, f"    seen = [t]\n    seen.append({tmp_path.name!r})\n{ANSWER}"))
    for _ in range(2):
        with pytest.raises(UserError, match=r"mine.py:\d+: this does not compile"):
            compile_apart(wrong, said.append)
    assert len(said) == 2
    good = kinds(tmp_path, KERNELS)
    monkeypatch.setattr(kernels, "warm", None)  # here nothing is compiled
    compile_apart(good, said.append)
    before = len(said)
    compile_apart(good, said.append)
    assert len(said) == before


def test_compile_apart_plain_python(tmp_path):
    compile_apart(kinds(tmp_path, PLAIN), pytest.fail)
