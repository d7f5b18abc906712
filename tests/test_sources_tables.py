"""The shipped tables: published numbers, winners, names."""

import numpy as np
import pytest

from duelbench.preferences.bradley_terry import most_likely
from duelbench.shipped import shipped
from duelbench.sources.tables import TABLES
from duelbench.sources.votes import read_votes
from duelbench.sources.votes.counts_file import counts_path
from duelbench.sources.votes.shares import shares

FACTS = {
    # name: (arms, Copeland winners, their wins, tied pairs, smallest gap)
    "six-rankers": (6, [0], 5, [(3, 5)], 0),
    "mslr5-condorcet": (5, [0], 4, [], 0.00999465),
    "mslr5-non-condorcet": (5, [0, 1, 2], 3, [], 0.00332994),
    "sushi16": (16, [7], 15, [(2, 4)], 0),
    "sushi16-ws": (16, [0], 15, [], 0.012),
    "cyclic4": (4, [0], 3, [], 0.1),
    "arithmetic8": (8, [0], 7, [], 0.05),
    "hudry13": (13, [0], 9, [], 0.1),
    "tennis8": (8, [0, 6], 6, [], 0.02),
    "gap": (8, [0], 7, [], 0.01),
    "multisol": (5, [0], 3, [], 0.2),
    "baseball1987": (7, [4], 6, [], 0.5 - 6 / 13),
    "journals4": (4, [3], 3, [], 284 / 505 - 0.5),
}


def test_every_shipped_file_is_a_table():
    assert set(TABLES) == set(FACTS)
    assert sorted(table.file for table in TABLES.values()) == sorted(
        path.name for path in shipped("datasets").glob("*.csv") if not path.stem.endswith("-counts")
    )


@pytest.mark.parametrize("name", TABLES)
def test_shipped_table_has_the_published_numbers_and_winners(name):
    table = TABLES[name]
    matrix = table.matrix()
    lines = (shipped("datasets") / table.file).read_text(encoding="utf-8").splitlines()
    printed = np.loadtxt([line for line in lines if line[0].isdigit()], delimiter=",")  # some begin with names
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


@pytest.mark.parametrize(
    ("name", "reference", "published"),
    [
        # Firth, Bradley-Terry Models in R, Journal of Statistical Software 12, 2005; Agresti (2002), section 10.6
        (
            "baseball1987",
            "Baltimore",
            {"Boston": 1.1077, "Cleveland": 0.6839, "Detroit": 1.4364, "Milwaukee": 1.5814}
            | {"New York": 1.2476, "Toronto": 1.2945},
        ),
        ("journals4", "Biometrika", {"Comm Statist": -2.9491, "JASA": -0.4796, "JRSS-B": 0.2690}),
    ],
)
def test_tables_of_votes_give_the_published_strengths_and_are_the_shares_of_their_counts(name, reference, published):
    matrix = TABLES[name].matrix()
    counts = read_votes([counts_path(TABLES[name].path)]).counts
    assert shares(counts, None, "").digest() == matrix.digest()
    assert counts.names == matrix.names
    strength = dict(zip(counts.names, most_likely(counts.halved(), 1e-7), strict=True))  # all but maximum likelihood
    found = {arm: strength[arm] - strength[reference] for arm in published}
    assert found == pytest.approx(published, abs=6e-5)
