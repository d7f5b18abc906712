"""Plans: errors that are found before a run, and specs with very many runs."""

import pytest

from duelbench.errors import UserError
from tests.experiments import own_algorithm, planned, played

MISTAKES = [
    ("algorithms: [rcub]", "unknown algorithm 'rcub' (did you mean 'rucb'?)"),
    ("algorithms:\n  - {name: rucb, alhpa: 1}", "unknown key 'alhpa' (did you mean 'alpha'?)"),
    ("algorithms:\n  - name: rucb\n    alpha: -1", "'alpha' must be greater than 0, not -1"),
    ("algorithms:\n  - {name: rucb, horizons: sweep}", "rucb does not use its horizon"),
    ("algorithms: ['nowhere.py:Mine']", "cannot read"),
    ("datasets: [sushi61]", "unknown dataset 'sushi61' (did you mean 'sushi16'?)"),
    ("datasets:\n  - {file: missing.csv}", "missing.csv"),
    ("datasets:\n  - {name: btl-uniform, arms: 1}", "arms"),
    ("datasets:\n  - {name: sushi16, submatrix: {size: 99}}", "16"),
    ("regret: condorcet\ndatasets: [cyclic4, mslr5-non-condorcet]", "condorcet regret needs a Condorcet winner"),
    ("regret: [copeland, weak]\ndatasets:\n  - {name: uniform-random, arms: 12}", "in run"),
]


@pytest.mark.parametrize(("lines", "sentence"), MISTAKES)
def test_mistakes(tmp_path, lines, sentence):
    text = "horizon: 100\nruns: 5\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    for line in lines.splitlines():
        name = line.split(":")[0]
        text = "".join(each for each in text.splitlines(keepends=True) if not each.startswith(f"{name}:"))
    with pytest.raises(UserError) as caught:
        planned(tmp_path, text + lines + "\n")
    error = caught.value
    assert sentence in error.message
    assert error.source == str(tmp_path / "spec.yaml")
    assert error.line == (text + lines).count("\n") + 1  # the last one
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("table", "place"),
    [("0.5,0.6\n0.4,0.5,0.1\n", ("m.csv", 2)), ("0.5,0.6,0.7\n0.4,0.5,0.6\n", ("spec.yaml", 5))],
)
def test_place_of_a_bad_matrix(tmp_path, table, place):
    """The error names the line in the matrix file if a single row is wrong, else the line in the spec."""
    (tmp_path / "m.csv").write_text(table)
    with pytest.raises(UserError, match="columns") as caught:
        planned(tmp_path, "horizon: 9\nruns: 1\nalgorithms: [rucb]\ndatasets:\n  - {file: m.csv}\n")
    assert (caught.value.source, caught.value.line) == (str(tmp_path / place[0]), place[1])


MANY = """\
horizon: 10
runs: 1e7
regret: condorcet
datasets: [{name: uniform-random, arms: 4, condorcet: true}, six-rankers]
algorithms: [uniform]
"""


def test_unseen_matrix_without_regret(tmp_path):
    text = MANY.replace(", condorcet: true", "").replace("1e7", "40\nseed: 1").replace("uniform]", "'one.py:One']")
    (tmp_path / "one.py").write_text(own_algorithm(name="One"))
    execution = played(tmp_path, text).execution
    assert 0 < len(execution.failures) < 40
    assert "condorcet regret needs a Condorcet winner" in execution.failures[0].read_text()


IMPORTS = "import time\nfrom pydantic import Field, PrivateAttr, SecretStr, field_serializer"
NOT_IN_KEYS = [
    ("hidden: int = Field(default=0, exclude=True)", "hidden: 1"),
    ("secret: SecretStr = SecretStr('a')", "secret: b"),
    ("x: float = 0\n    @field_serializer('x')\n    def f(self, x): return round(x)", "x: 0.2"),
    ("_made: float = PrivateAttr(default_factory=lambda: time.perf_counter())", "k: 1"),
]


@pytest.mark.parametrize(("field", "given"), NOT_IN_KEYS)
def test_parameters_not_in_keys(tmp_path, field, given):
    (tmp_path / "mine.py").write_text(own_algorithm(head=IMPORTS, fields=f"k: int = 0\n    {field}", name="Mine"))
    text = "horizon: 10\nruns: 2\ndatasets: [six-rankers]\nalgorithms:\n  - {name: 'mine.py:Mine', GIVEN}\n"
    with pytest.raises(UserError, match="keys of runs cannot hold the parameters of Mine") as caught:
        planned(tmp_path, text.replace("GIVEN", given))
    assert caught.value.line == 5


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("budget: 9\nruns: 1\nalgorithms: [rucb, parwis]", ":3: parwis learns only from its own duels"),
        ("budget: 9\nruns: 1\nrecommend: own\nalgorithms: [parwis]", "write 'recommend: posterior', which uses them"),
        ("horizon: 9\nruns: 1\nalgorithms: [rucb]", ":4: 'continue' needs a budget"),
    ],
)
def test_earlier_votes(tmp_path, lines, sentence):
    (tmp_path / "v.csv").write_text("first,second,winner\na,b,a\nb,c,c\n")
    with pytest.raises(UserError) as caught:
        planned(tmp_path, f"{lines}\ndatasets: [{{votes: v.csv, draw: posterior, continue: true}}]\n")
    assert sentence in str(caught.value)


def test_a_budget_of_votes_detects_no_changes(tmp_path):
    with pytest.raises(UserError, match="mdb looks for changes, which happen at rounds") as caught:
        planned(tmp_path, "budget: 9\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [rucb, mdb]\n")
    assert caught.value.line == 4


def test_horizons_are_runs_of_those_that_use_them(tmp_path):
    text = "horizons: [100, 1e3]\nseeds: [7, 9]\ndatasets: [six-rankers]\nalgorithms: [btm, rucb]\n"
    found = planned(tmp_path, text)
    assert [each.algorithm.horizons for each in found.series] == [(100, 1000), None]
    assert [found.seed_of(number) for number in found.numbers] == [(7, 0), (9, 0)]


@pytest.mark.parametrize(("more", "title"), [("", ""), ("feedback: {delay: 7}\n", ", delay 7")])
def test_titles(tmp_path, more, title):
    found = planned(tmp_path, f"horizon: 9\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [d-ts]\n{more}")
    assert found.dataset_titles() == {"six-rankers": f"Six rankers, K = 6{title}"}
    assert found.algorithm_titles() == {"d-ts": "D-TS"}


# The experiment that compares algorithms
