"""The shipped tables: published numbers, winners, names."""

import numpy as np
import pytest

from duelbench.shipped import shipped
from duelbench.sources.tables import TABLES

FACTS = {
    # name: (arms, Copeland winners, their wins, tied pairs, smallest gap)
    "six-rankers": (6, [0], 5, [(3, 5)], 0),
    "mslr5-condorcet": (5, [0], 4, [], 0.00999465),
    "mslr5-non-condorcet": (5, [0, 1, 2], 3, [], 0.00332994),
    "sushi16": (16, [7], 15, [(2, 4)], 0),
    "cyclic4": (4, [0], 3, [], 0.1),
    "arithmetic8": (8, [0], 7, [], 0.05),
    "hudry13": (13, [0], 9, [], 0.1),
    "tennis8": (8, [0, 6], 6, [], 0.02),
    "gap": (8, [0], 7, [], 0.01),
    "multisol": (5, [0], 3, [], 0.2),
}


def test_every_shipped_file_is_a_table():
    assert set(TABLES) == set(FACTS)
    assert sorted(table.file for table in TABLES.values()) == sorted(p.name for p in shipped("datasets").glob("*.csv"))


@pytest.mark.parametrize("name", TABLES)
def test_shipped_table_has_the_published_numbers_and_winners(name):
    table = TABLES[name]
    matrix = table.matrix()
    printed = np.loadtxt(shipped("datasets") / table.file, delimiter=",")
    upper = np.triu_indices(matrix.arms, 1)
    assert np.array_equal(matrix.P[upper], printed[upper])
    assert np.abs(matrix.P - printed).max() < 1e-15

    arms, winners, wins, ties, gap = FACTS[name]
    assert matrix.arms == arms
    assert matrix.copeland_winners().tolist() == winners
    assert matrix.wins().max() == wins
    assert matrix.condorcet_winner() == (winners[0] if wins == arms - 1 else None)
    assert [(i, j) for i, j in zip(*upper, strict=True) if matrix.P[i, j] == 0.5] == ties
    assert matrix.smallest_gap() == pytest.approx(gap, abs=1e-12)


def test_arithmetic_table_follows_its_formula():
    k = np.arange(8)
    np.testing.assert_allclose(TABLES["arithmetic8"].matrix().P, 0.5 + 0.05 * (k - k[:, None]), atol=1e-15)


def test_hudry_copeland_winner_is_no_banks_winner():
    beats = TABLES["hudry13"].matrix().P > 0.5

    def tops(top, dominators):
        """The maxima of the maximal transitive chains that begin below ``top``."""
        return (
            {top}
            if not dominators
            else set().union(*(tops(x, [y for y in dominators if beats[y, x]]) for x in dominators))
        )

    arms = range(13)
    assert set().union(*(tops(x, [y for y in arms if beats[y, x]]) for x in arms)) == {1, 2, 3}


def test_errors_call_a_table_by_its_name():
    assert TABLES["tennis8"].matrix().source == "tennis8"
