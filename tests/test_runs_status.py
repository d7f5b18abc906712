"""How every run stands, and why."""

import shutil

from duelbench.runs.status import status
from tests.experiments import SMALL, planned


def counts(tmp_path, text=SMALL):
    found = status(planned(tmp_path, text), tmp_path / "out")
    return {each.series.labels: (each.counts, each.reasons) for each in found}


def test_status_before_between_and_after(copy, tmp_path):
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 6}, ())
    (copy / "six-rankers" / "rucb" / "run-00001.csv").unlink()
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 5, "missing": 1}, ())
    assert counts(tmp_path, SMALL.replace("runs: 6", "runs: 8"))["six-rankers", "btm"] == (
        {"done": 6, "missing": 2},
        (),
    )
    shutil.rmtree(copy)
    assert all(states == {"missing": 6} for states, _ in counts(tmp_path).values())


def test_a_damaged_file_is_told_from_a_missing_one(copy, tmp_path):
    torn = copy / "six-rankers" / "btm" / "run-00002.csv"
    torn.write_bytes(torn.read_bytes()[:-2])
    assert counts(tmp_path)["six-rankers", "btm"] == ({"done": 5, "damaged": 1}, ())
