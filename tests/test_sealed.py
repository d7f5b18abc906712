"""What somebody has edited is not what the runs have given."""

import shutil

import pytest

from duelbench.errors import UserError
from duelbench.layout import BOUNDS, MANIFEST, SUMMARY
from duelbench.plots.results import Results
from duelbench.reading import read_json
from duelbench.runs.compare import compare
from duelbench.runs.frames import load_results
from duelbench.sealed import check_seal, digests
from tests.comparison import ROOT
from tests.experiments import ONES_OWN, played

SPEC = """\
horizon: 20
runs: 3
datasets: [six-rankers]
algorithms: ['one.py:One']
figures: [{kind: regret, bounds: [LB]}]
"""
KEPT = sorted(path.parent for path in (ROOT / "results").glob(f"*/{SUMMARY}"))


@pytest.fixture
def results(tmp_path):
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "pass"))
    played(tmp_path, SPEC)
    return tmp_path / "out"


def bounds(directory):
    return Results(directory).bounds


READERS = {
    SUMMARY: [Results, load_results, lambda path: compare(path, path)],
    BOUNDS: [bounds],
}


@pytest.mark.parametrize("name", READERS)
def test_plausible_numbers_of_somebody_elses_are_refused(results, name):
    for read in READERS[name]:
        read(results)
    path = results / name
    first, row, *rest = path.read_text().splitlines()
    digit = row.rindex("1") if name == BOUNDS else row.index("0.")
    edited = [row[:digit] + "2" + row[digit + 1 :], *rest]
    for lines in (edited, [row, row, *rest], rest):
        path.write_text("\n".join([first, *lines]) + "\n")
        for read in READERS[name]:
            with pytest.raises(UserError, match="is not what the runs have given") as caught:
                read(results)
            assert caught.value.source == str(path)


def test_the_tables_of_other_results_are_refused(results, tmp_path):
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "pass").replace("0, 1, 1", "0, 2, 1"))
    played(tmp_path, SPEC, "other")
    shutil.copy(tmp_path / "other" / SUMMARY, results)
    with pytest.raises(UserError, match="is not what the runs have given"):
        Results(results)
    played(tmp_path, SPEC, "out")  # which makes it anew
    assert compare(results, tmp_path / "other").identical


def test_another_systems_ends_of_lines_are_no_edit(tmp_path):
    (tmp_path / SUMMARY).write_bytes(b"a,b\r\n1,2\r\n")
    check_seal(tmp_path / SUMMARY, {"digests": digests({SUMMARY: "a,b\n1,2\n"})})
    for manifest in ({}, {"digests": 3}, {"digests": {}}, {"digests": {SUMMARY: None}}):
        with pytest.raises(UserError, match="is not what the runs have given"):
            check_seal(tmp_path / SUMMARY, manifest)


@pytest.mark.parametrize("directory", KEPT, ids=lambda path: path.name)
def test_the_results_that_are_kept_are_as_they_were_written(directory):
    manifest = read_json(directory / MANIFEST, 1 << 28)
    for name in (SUMMARY, BOUNDS):
        if (directory / name).exists():
            check_seal(directory / name, manifest)
