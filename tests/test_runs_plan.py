"""Mistakes that are found before anything is computed."""

import pytest

from duelbench.errors import UserError
from duelbench.runs.plan import make_plan
from duelbench.spec.load import load

MISTAKES = [
    ("algorithms: [rcub]", "unknown algorithm 'rcub' (did you mean 'rucb'?)"),
    ("algorithms:\n  - {name: rucb, alhpa: 1}", "unknown key 'alhpa' (did you mean 'alpha'?)"),
    ("algorithms:\n  - {name: rucb, alpha: -1}", "'alpha' must be greater than 0, not -1"),
    ("algorithms:\n  - {name: rucb, alpha: big}", "'alpha' must be a number, not 'big'"),
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
def test_mistakes_are_found_before_computing_with_file_and_line(tmp_path, lines, sentence):
    text = "horizon: 100\nruns: 5\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    for line in lines.splitlines():
        name = line.split(":")[0]
        text = "".join(each for each in text.splitlines(keepends=True) if not each.startswith(f"{name}:"))
    text += lines + "\n"
    (tmp_path / "spec.yaml").write_text(text)
    with pytest.raises(UserError) as caught:
        make_plan(load(tmp_path / "spec.yaml"))
    error = caught.value
    assert sentence in error.message
    assert error.source == str(tmp_path / "spec.yaml")
    assert error.line is not None
    assert error.line > 2
    assert "\n" not in str(error)


MATRICES = [
    ("0.5,0.6\n0.4,0.5,0.1\n", "columns"),
    ("0.5,0.6,0.7\n0.4,0.5,0.6\n", "2 rows and 3 columns"),
    ("0.5,nan\nnan,0.5\n", "row 1, column 2"),
    ("0.5,1.6\n-0.6,0.5\n", "row 1, column 2"),
    ("0.5,0.6\n0.5,0.5\n", "add up to 1"),
    ("0.5,x\n0.5,0.5\n", "column 2"),
]


@pytest.mark.parametrize(("table", "sentence"), MATRICES)
def test_bad_matrices_name_the_cell(tmp_path, table, sentence):
    (tmp_path / "m.csv").write_text(table)
    (tmp_path / "spec.yaml").write_text("horizon: 9\nruns: 1\nalgorithms: [rucb]\ndatasets:\n  - {file: m.csv}\n")
    with pytest.raises(UserError, match=sentence) as caught:
        make_plan(load(tmp_path / "spec.yaml"))
    assert caught.value.line is not None
