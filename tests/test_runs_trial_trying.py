"""What of a plan is tried, when again, and that compiled and interpreted are held against each other."""

import pytest

from duelbench.errors import UserError
from duelbench.runs.trial import trying
from duelbench.runs.trial.rounds import Step
from tests.experiments import planned
from tests.mistakes import KERNELS, PLAIN, SPEC

STEPS = [Step(1, 0, 1, 1), Step(2, 3, 1, 1)]


class Trials:
    """Stands for the other process: it notes what it is asked, and answers what it is told to."""

    def __init__(self, compiled=STEPS):
        self.asked, self.compiled_steps = [], compiled

    def __call__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def call(self, function, series, *arguments, files):
        self.asked.append((function.__name__, *series.labels))
        if function.__name__ == "interpreted":
            return STEPS
        if isinstance(self.compiled_steps, Exception):
            raise self.compiled_steps
        return self.compiled_steps


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """Try a spec with a file of its own; return what was played and what was said."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def tried(text, spec=SPEC, compiled=STEPS, **options):
        (tmp_path / "mine.py").write_text(f"{text}\nHERE = {str(tmp_path)!r}\n")
        plan, trials, said = planned(tmp_path, spec), Trials(compiled), []
        with monkeypatch.context() as context:
            context.setattr(trying, "Child", trials)
            trying.try_out(plan, said.append, **options)
        return [name for name, *_ in trials.asked], said, trials.asked

    return tried


def test_interpreted_then_compiled_and_not_again(tried):
    assert tried(PLAIN)[:2] == (["interpreted"], ["trying mine.py:Mine (again only when it has changed)…"])
    assert tried(PLAIN)[:2] == ([], [])
    assert tried(PLAIN.replace("first, second, 1", "second, first, 1"))[0] == ["interpreted"]
    assert tried(PLAIN, SPEC.replace("1e4", "1e5"))[0] == ["interpreted"]
    assert tried("# a comment\n" + PLAIN)[0] == []


def test_fewest_and_most_arms_of_each_algorithm(tried):
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
    return series


def test_compiled_and_interpreted_that_differ(tmp_path, monkeypatch):
    series = kernel_series(tmp_path)
    if not series.algorithm.kind.kernels:
        pytest.skip("nothing is compiled here")
    monkeypatch.setattr(trying, "Child", Trials([STEPS[0], Step(2, 3, 4, 1)]))
    with pytest.raises(UserError) as caught:
        trying.try_series(series, series.algorithm.kind, 1, 0, True)
    words = "compiled, select answers (3, 4, 1), and (3, 1, 1) as plain Python, at t = 2 with 6 arms"
    assert caught.value.message.startswith(words)
    assert caught.value.line == KERNELS.splitlines().index("def select(state, t, last, rng):") + 1
    monkeypatch.setattr(trying, "Child", trials := Trials())
    trying.try_series(series, series.algorithm.kind, 1, 0, True)
    trying.try_series(series, series.algorithm.kind, 1, 0, False)
    assert [name for name, *_ in trials.asked] == ["interpreted", "compiled", "interpreted"]


def test_what_takes_its_process_with_it_only_when_compiled_is_said_to(tmp_path, monkeypatch):
    series = kernel_series(tmp_path)
    if not series.algorithm.kind.kernels:
        pytest.skip("nothing is compiled here")
    monkeypatch.setattr(trying, "Child", Trials(UserError("round t = 2: it was killed", source="mine.py")))
    with pytest.raises(UserError, match=r"mine.py:18: round t = 2: it was killed: only when compiled, interpreted"):
        trying.try_series(series, series.algorithm.kind, 1, 0, True)
