"""Lines and columns."""

from duelbench.tables.grid import Entry, Head, lay_out
from tests.tabled import table


def test_algorithms_down_datasets_across_and_ranks_last(tmp_path):
    grid = lay_out(table(tmp_path), str)
    assert (grid.corner, grid.down) == (Head("algorithm"), [Head("a"), Head("b"), Head("c")])
    assert grid.across == [Head(r"One & $\alpha = 1$"), Head("Two_2"), Head("mean rank")]
    assert grid.entries[1] == [
        Entry("1240", "46", alike=True),
        Entry("3.50", "0.10", best=True),
        Entry("1.50", best=True),
    ]
    assert grid.ranks == 1


def test_several_rounds_stand_below_their_dataset(tmp_path):
    grid = lay_out(table(tmp_path, rounds=(100, 1000)), str)
    assert grid.across[:3] == [
        Head(r"One & $\alpha = 1$", "$t$ = 100"),
        Head(r"One & $\alpha = 1$", "$t$ = 1000"),
        Head("Two_2", "$t$ = 100"),
    ]
    assert grid.across[-1] == Head("mean rank", "$t$ = 1000")
    assert lay_out(table(tmp_path, rounds=(100, 1000), datasets=["one"]), str).across == [
        Head("$t$ = 100"),
        Head("$t$ = 1000"),
    ]


def test_transposed(tmp_path):
    grid, other = (lay_out(table(tmp_path), str, transposed) for transposed in (False, True))
    assert (other.across, other.down) == (grid.down, grid.across)
    assert other.entries == [list(line) for line in zip(*grid.entries, strict=True)]
    assert other.corner == Head("dataset")
