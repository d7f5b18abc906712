"""Who is ranked where, against whom, and what counts as the best."""

import math

import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.leaderboard.board import board, not_for
from duelbench.sources.tables import TABLES
from tests.boards import results

CELLS = {
    ("cyclic4", "d-ts"): 200,
    ("cyclic4", "rucb"): 100,
    ("cyclic4", "btm"): 10,
    ("cyclic4", "dkwt"): 5,
    ("multisol", "d-ts"): 300,
    ("multisol", "rucb"): 10,
    ("multisol", "ccb"): 600,
    ("multisol", "dkwt"): 1,
}


@pytest.fixture
def made(tmp_path):
    return board([results(tmp_path, CELLS)])


def cell(found, name, table):
    return next(row for row in found.rows if row.name == name).cells[table]


def test_ranks_are_among_those_whose_assumptions_hold_there_in_their_own_part(made):
    ranks = {(row.name, table): each.rank for row in made.rows for table, each in row.cells.items()}
    assert ranks == {
        ("d-ts", "cyclic4"): 2, ("rucb", "cyclic4"): 1, ("btm", "cyclic4"): None, ("dkwt", "cyclic4"): 1,
        ("d-ts", "multisol"): 1, ("ccb", "multisol"): 2, ("rucb", "multisol"): None, ("dkwt", "multisol"): None,
    }  # fmt: skip
    assert cell(made, "btm", "cyclic4").unmet == ("total order", "relaxed SST", "STI")
    assert cell(made, "rucb", "multisol").unmet == ("Condorcet winner",)


def test_a_regret_is_so_many_times_the_best_one_of_those_with_a_rank(made):
    assert cell(made, "d-ts", "cyclic4").times == 2.0
    assert cell(made, "btm", "cyclic4").times == 0.1
    row = next(row for row in made.rows if row.name == "d-ts")
    assert row.ranked == ["cyclic4", "multisol"]
    assert row.mean_rank == 1.5
    assert row.times == pytest.approx(math.sqrt(2))


def test_rows_are_group_by_group_and_tables_with_a_condorcet_winner_first(made):
    assert [(row.name, row.group) for row in made.rows] == [
        ("d-ts", 0), ("ccb", 0), ("rucb", 1), ("btm", 2), ("dkwt", 3),
    ]  # fmt: skip
    assert list(made.tables) == ["cyclic4", "multisol"]
    assert made.tables["cyclic4"] == "Cyclic"
    assert made.with_winner == {"cyclic4"}
    assert [row.name for row in made.contest(last=True)] == ["dkwt"]
    assert math.isnan(made.contest(last=False)[-1].mean_rank)
    assert "rcs" in made.left_out
    assert not {"d-ts", "btm"} & set(made.left_out)


@pytest.mark.parametrize(("sem", "alike"), [(1, False), (10, True)])
def test_what_the_runs_do_not_tell_from_the_best_is_as_good(tmp_path, sem, alike):
    found = board([results(tmp_path, {("cyclic4", "d-ts"): (100, sem), ("cyclic4", "ccb"): (110, sem)})])
    assert cell(found, "d-ts", "cyclic4").best
    assert cell(found, "ccb", "cyclic4").best is alike


def test_seconds_are_the_median_of_runs_where_the_assumptions_hold(tmp_path):
    cells = {("cyclic4", "rucb"): 1, ("multisol", "rucb"): 1}
    one = results(tmp_path, cells)
    one.manifest["seconds_per_run"] = {"cyclic4": {"rucb": [1.0, 3.0, None]}, "multisol": {"rucb": [90.0]}}
    found = board([one])
    assert found.rows[0].seconds == 2.0
    assert found.core_seconds == 94.0


def test_several_results_are_one_board(tmp_path):
    one = results(tmp_path / "a", {("cyclic4", "d-ts"): 200, ("multisol", "d-ts"): 100})
    two = results(tmp_path / "b", {("cyclic4", "rucb"): 100})
    found = board([one, two])
    assert cell(found, "d-ts", "cyclic4").rank == 2
    assert list(found.rows[1].cells) == ["cyclic4"]
    with pytest.raises(UserError, match="horizons differ"):
        board([one, results(tmp_path / "c", {("cyclic4", "ccb"): 1}, horizon=50)])


def test_other_matrices_and_algorithms_are_refused(tmp_path):
    with pytest.raises(UserError, match="cyclic4 is no table"):
        board([results(tmp_path / "a", {("cyclic4", "d-ts"): 1}, identity={"matrix": "another"})])
    with pytest.raises(UserError, match="is no table"):
        board([results(tmp_path / "b", {("cyclic4", "d-ts"): 1}, origin="btl-uniform")])
    with pytest.raises(UserError, match="none of duelbench's algorithms"):
        board([results(tmp_path / "c", {("cyclic4", "mine"): 1})])


def test_who_looks_for_another_winner_is_not_ranked():
    hudry, tennis = TABLES["hudry13"].matrix(), TABLES["tennis8"].matrix()
    assert not_for(catalogue()["wrapped"], tennis, {}) == ()
    assert "no Copeland winner" in not_for(catalogue()["wrapped"], hudry, {})[-1]
    assert not_for(catalogue()["nts"], hudry, {"h": 0.05}) == ("looks for a Condorcet winner, and there is none",)
    assert not_for(catalogue()["nts"], TABLES["cyclic4"].matrix(), {"h": 0.05}) == ()
