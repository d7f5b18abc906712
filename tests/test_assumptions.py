"""Assumptions that matrices do not meet: in ``check``, ``run`` and tables."""

import pytest

from duelbench.analysis.assumptions import sentences_of
from duelbench.analysis.table_formats import comma_separated, latex, markdown
from duelbench.analysis.tables import make_table, request_of
from duelbench.experiment.matrix_tables import unmet_in
from duelbench.results.results import Results
from tests.experiments import own_algorithm, planned, played
from tests.tabled import markdown_cells

SPEC = """\
horizon: 50
runs: 3
datasets:
  - {name: mslr5-non-condorcet, title: Five}
  - {name: flat-order, arms: 4}
  - {name: uniform-random, arms: 5}
  - {name: cyclic4, changes: {breakpoints: 2}}
  - {name: btl-uniform, arms: 101}
algorithms: [d-ts, rucb, rcs, btm, {name: mine.py:Own, ties: coin}]
"""


def test_sentences(tmp_path):
    """Changing preferences, orders of more than 100 arms and assumptions that only a user knows are not judged."""
    (tmp_path / "mine.py").write_text(own_algorithm(fields="assumes = 'Condorcet winner, wisdom'"))
    plan = planned(tmp_path, SPEC)
    said = sentences_of(unmet_in(plan), plan)
    assert said == [
        "mslr5-non-condorcet and the first matrix of uniform-random do not meet the assumptions of rucb, rcs, Own-coin "
        "(Condorcet winner); btm (total order, relaxed SST, STI)"
    ]


def test_conditions_on_parameters_that_a_class_lacks(tmp_path):
    (tmp_path / "mine.py").write_text(own_algorithm(fields="assumes = 'no pair within h of 1/2'"))
    assert not any(each.algorithm == "Own-coin" for each in unmet_in(planned(tmp_path, SPEC)))


@pytest.fixture
def directory(tmp_path, interpreted):
    (tmp_path / "mine.py").write_text(own_algorithm())
    return played(tmp_path, SPEC.replace("101", "4")).directory


def test_table(directory):
    results = Results(directory)
    found = make_table(results, request_of(results, datasets=["mslr5-non-condorcet", "flat-order"]))
    cells = markdown_cells(markdown(found))
    assert [name for name, first, *_ in cells[1:] if "§" in first] == ["RUCB", "RCS", "Beat the Mean"]
    assert not any("§" in second for _, _, second, *_ in cells[1:])
    note = "Five does not meet the assumptions of RUCB, RCS (Condorcet winner); Beat the Mean (total order, relaxed SST"
    assert f"§: {note}" in markdown(found)
    assert rf"\S{{}}: {note}" in latex(found) and latex(found).count(r"\S}$}") == 3
    lines = [line for line in comma_separated({"": found}).splitlines() if line.endswith("Condorcet winner")]
    assert [line.split(",")[1] for line in lines] == ["rucb", "rcs"]


def test_results_have_their_own_matrices(directory):
    """The table does not depend on the spec, which may have other matrices now."""
    (directory.parent / "spec.yaml").write_text("{}")
    results = Results(directory)
    assert "§" in markdown(make_table(results, request_of(results, datasets=["mslr5-non-condorcet"])))
