"""What is on disk: torn files are noticed, and looking changes nothing."""

import pytest

from duelbench.errors import UserError
from duelbench.runs.scan import scan, scan_series
from tests.experiments import SMALL, files, planned, played

TEARS = {
    "empty": lambda text: b"",
    "half": lambda text: text[: len(text) // 2],
    "one row less": lambda text: text[: text.rstrip().rfind(b"\n") + 1],
    "zeros": lambda text: bytes(len(text)),
    "a digit": lambda text: text[:-3] + bytes([text[-3] ^ 1]) + text[-2:],
    "only its first line": lambda text: text[: text.find(b"\n") + 1],
}


@pytest.mark.parametrize("tear", TEARS.values(), ids=TEARS)
def test_a_file_that_power_loss_has_torn_is_noticed_and_played_again(small, copy, tmp_path, tear):
    torn = copy / "six-rankers" / "btm" / "run-00002.csv"
    torn.write_bytes(tear(torn.read_bytes()))
    found = {each.series.labels: list(each.missing) for each in scan(planned(tmp_path, SMALL), copy)}
    assert {labels: numbers for labels, numbers in found.items() if numbers} == {("six-rankers", "btm"): [2]}
    execution = played(tmp_path, SMALL).execution
    assert (execution.kept, execution.played) == (23, 1)
    assert files(copy) == files(small)


def test_looking_changes_nothing(copy, tmp_path):
    (copy / "six-rankers" / "btm" / "run-00001.csv").unlink()
    (copy / "six-rankers" / "btm" / ".run-00001.csv.123").write_text("half")
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in copy.rglob("*")}
    scan(planned(tmp_path, SMALL.replace("alpha: 0.51", "alpha: 0.6")), copy)
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in copy.rglob("*")} == before


def test_a_complete_series_is_summarized_in_passing(copy, tmp_path):
    (copy / "six-rankers" / "btm" / "run-00005.csv").unlink()
    plan = planned(tmp_path, SMALL)
    found = {each.series.labels: each for each in scan(plan, copy)}
    assert found.pop(("six-rankers", "btm")).summary is None
    for each in found.values():
        assert not each.missing
        assert each.summary == scan_series(plan, each.series, each.place).summary
        assert each.summary.final.runs == 6


def test_where_there_is_nothing_everything_is_missing(tmp_path):
    plan = planned(tmp_path, SMALL)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "btl-uniform").mkdir()
    (tmp_path / "out" / "btl-uniform" / "rucb").write_text("in the way")
    assert [list(each.missing) for each in scan(plan, tmp_path / "out")] == [list(range(6))] * 4
    assert not (tmp_path / "out" / "six-rankers").exists()


@pytest.mark.parametrize("where", ["six-rankers", "six-rankers/rucb"])
def test_a_link_out_of_the_directory_is_not_followed(tmp_path, where):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "out" / where
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(UserError, match="leads out of"):
        scan(planned(tmp_path, SMALL), tmp_path / "out")
    assert not list((tmp_path / "elsewhere").iterdir())
