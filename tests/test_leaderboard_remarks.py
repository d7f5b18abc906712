"""What stands out follows from the numbers, whichever way they fall."""

import pytest

from duelbench.leaderboard.board import board
from duelbench.leaderboard.remarks import remarks
from tests.boards import results

CELLS = {
    ("cyclic4", "d-ts"): (200, 1),
    ("cyclic4", "rucb"): (400, 1),
    ("cyclic4", "ccb"): (800, 1),
    ("cyclic4", "uniform"): (5000, 1),
    ("multisol", "d-ts"): (300, 3),
    ("multisol", "ccb"): (200, 3),
    ("multisol", "uniform"): (4000, 3),
    ("multisol", "rucb"): (4000, 3),
}


@pytest.fixture
def said(tmp_path):
    def of(changes=()):
        return "\n".join(remarks(board([results(tmp_path, CELLS | dict(changes))])))

    return of


def test_leaders_are_in_order_with_and_without_a_condorcet_winner(said):
    first, second, *_ = said().splitlines()
    assert "1 tables with a Condorcet winner" in first
    assert first.endswith("D-TS 1.00, RUCB 2.00, CCB 4.00, UNIFORM 25.0.")
    assert second.endswith("CCB 1.00, D-TS 1.50, UNIFORM 20.0.")  # RUCB has no rank there


def test_what_papers_state_is_compared_where_both_have_a_rank(said):
    assert "D-TS has less regret than RUCB on 1 of 1 tables with a Condorcet winner (Wu & Liu 2016)." in said()
    turned = said({("cyclic4", "rucb"): (150, 1)})
    other = "D-TS has less regret than RUCB on 0 of 1 tables with a Condorcet winner (Wu & Liu 2016), but not on "
    assert f"{other}Cyclic: 200 and 150." in turned
    assert "SCB" not in said()  # was not played


def test_what_is_no_better_than_random_is_named(said):
    assert "although what they assume holds" not in said()
    assert "where what they assume does not hold: RUCB on MultiSol." in said()
    assert "duels these to the end" in said(
        {("cyclic4", "scb"): 1, ("six-rankers", "scb"): 9e3, ("six-rankers", "uniform"): 5}
    )
    assert "although what they assume holds: CCB on Cyclic." in said({("cyclic4", "ccb"): (5000, 1)})


def test_means_of_few_runs_are_named(said, tmp_path):
    assert "median" not in said({("cyclic4", "dkwt"): (10, 1)})
    one = results(tmp_path, CELLS | {("cyclic4", "dkwt"): (1000, 900)})
    one.summary.loc[one.summary.algorithm == "dkwt", "q50"] = 10.0
    one._take(one.summary)
    assert "more than 10 times the median in 1 of 1 cells with a rank (DKWT)" in "\n".join(remarks(board([one])))


def test_what_has_not_ended_its_exploration_is_named(tmp_path):
    def said(name, declared):
        one = results(tmp_path / name, {("cyclic4", "dkwt"): 10, ("multisol", "dkwt"): 10}, declared=declared)
        return "\n".join(remarks(board([one])))

    assert "although what they assume holds: DKWT on Cyclic. Their" in said("a", 0.4)  # not MultiSol: it has no rank
    assert "exploring" not in said("b", 0.6)


def test_leaders_that_fall_back_on_a_table_are_named(said):
    assert "do not: D-TS" not in said()
    text = said({("multisol", "ccb"): (9, 1)})
    assert "MultiSol is where those who lead elsewhere do not: D-TS has 33 times the least regret" in text
    assert "The optimal way to explore is not unique" in text
