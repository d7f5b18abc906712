"""Counts written and read back."""

from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.sources.votes import read_votes
from duelbench.sources.votes.counts_file import counts_path, save_counts


def test_counts_are_read_as_they_were_written(tmp_path):
    rng = np.random.default_rng(3)
    names = ("#1", "2", "a, b", 'say "x"', "z", "ü")  # sorted, as a reader has them
    wins = rng.integers(0, 4, (6, 6)) * np.array([1, 0.25])[rng.integers(0, 2, (6, 6))]
    ties = np.triu(rng.integers(0, 2, (6, 6)), 1)
    wins[3] = wins[:, 3] = ties[3] = ties[:, 3] = 0  # no votes at all
    np.fill_diagonal(wins, 0)
    counts = PairCounts(names, wins, ties + ties.T)
    save_counts(tmp_path / "c.csv", counts, "a note\nof two lines")
    again = read_votes([tmp_path / "c.csv"]).counts
    assert again.names == names
    assert again.digest() == counts.digest()


def test_counts_lie_beside_the_matrix():
    assert counts_path(Path("d/m.npz")) == Path("d/m-counts.csv")


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "c.csv").mkdir()
    with pytest.raises(UserError, match="cannot write here"):
        save_counts(tmp_path / "c.csv", PairCounts(("a", "b"), np.zeros((2, 2)), np.zeros((2, 2))))
