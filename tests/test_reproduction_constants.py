"""Constants of bounds, from the files that have them."""

import pytest

from duelbench.reproduction import constants
from duelbench.reproduction.measures import Library, NotRunError
from tests.experiments import seal
from tests.measured import write


def test_the_ratio_of_bounds_comes_from_the_figure(tmp_path):
    write(tmp_path, "fig", {("d", "a"): {"mean": 1}})
    with pytest.raises(NotRunError):
        constants.bounds_ratio("fig", 0.8, 1)(Library(tmp_path))
    (tmp_path / "fig/bounds.csv").write_text("dataset,bound,regret,constant\nd,LB,copeland,9\nd,ECWB,copeland,10\n")
    seal(tmp_path / "fig")
    assert constants.bounds_ratio("fig", 0.8, 1)(Library(tmp_path)).agrees is True
    assert constants.bounds_ratio("fig", 0, 0.1)(Library(tmp_path)).agrees is False


def test_the_table_agrees_up_to_rounding_and_the_errors_of_both(tmp_path):
    (tmp_path / "table").mkdir()
    (tmp_path / "table/table.csv").write_text(
        "bound,regret,matrices,mean,sem\nLB,copeland,10,700,5\nX,copeland,10,7e5,5\n"
    )
    library = Library(tmp_path)
    # 5 + 2 sqrt(2) 5 = 19.1
    for stated, agrees in ((682, True), (718, True), (680, False), (720, False)):
        assert constants.table_value("table", "LB", stated, 5)(library).agrees is agrees
    assert constants.table_value("table", "LB", 700, 5)(library).measured.endswith("agreement is in 681–719")
    assert constants.table_ratio("table", "X", "LB", 500, 2000)(library).agrees is True
    assert constants.table_ratio("table", "X", "LB", 1200, 2000)(library).agrees is False
    assert constants.table_ratio("table", "X", "LB", 1000, 2000)(library).agrees is None
    for measure in (constants.table_value("table", "CCB", 1, 1), constants.table_ratio("table", "CCB", "LB", 1, 2)):
        with pytest.raises(NotRunError):
            measure(library)
