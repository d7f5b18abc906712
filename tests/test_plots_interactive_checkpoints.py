"""The numbers of a page's table."""

from duelbench.plots.interactive.checkpoints import COLUMNS, checkpoints_payload
from duelbench.plots.results import Results
from tests.drawings import experiment, linear, row
from tests.paged import READ, made


def test_it_has_each_number_of_the_summary_under_titles_that_read(tmp_path):
    results = Results(made(tmp_path))
    payload = checkpoints_payload(results)
    assert payload["datasets"] == [["d-arms=5", f"{READ}, K = 5"], ["d-arms=10", f"{READ}, K = 10"]]
    assert payload["algorithms"] == {"late": READ, "other": "other", "none": "none"}
    assert [(each["dataset"], each["algorithm"]) for each in payload["series"]] == [
        (dataset, algorithm) for dataset in ("d-arms=5", "d-arms=10") for algorithm in ("late", "other")
    ]
    for each in payload["series"]:
        rows = results.series(each["dataset"], each["algorithm"], "copeland")
        assert all(each[name] == rows[name].tolist() for name, _ in payload["columns"])


def test_columns_that_are_empty_are_not_there_and_cells_that_are_have_no_number(tmp_path):
    results = Results(experiment(tmp_path, {("d", "a"): {10: row(1, runs=1), 20: row(2)}, ("d", "b"): linear(1, [20])}))
    payload = checkpoints_payload(results)
    names = [name for name, _ in payload["columns"]]
    assert names == ["mean", "sem", "std", "q05", "q50", "q95", "runs"]
    assert payload["series"][0]["std"] == [None, 1]
    assert payload["series"][1]["t"] == [20]
    assert len(set(COLUMNS.values())) == len(COLUMNS)
