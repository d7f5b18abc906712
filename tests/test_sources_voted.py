"""Matrices from votes, as a dataset."""

import json
import math

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.bradley_terry import fit
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.sources.datasets import dataset
from duelbench.sources.voted import Voted, shares

VOTES = "first,second,winner\n" + "ann,bob,ann\n" * 3 + "bob,cy,tie\ncy,ann,ann\n"


@pytest.fixture
def votes(tmp_path):
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path


def test_arms_of_drawn_matrices_have_the_names_that_the_votes_give_them(votes):
    drawn = dataset(votes="votes.csv", base=votes, parameters={"draw": "posterior"})
    assert drawn.varies
    assert drawn.arm_names == ("ann", "bob", "cy")
    with pytest.raises(UserError, match="names that the votes give") as caught:
        drawn.with_names(["a", "b", "c"])
    assert caught.value.key == ("arms",)


def test_a_part_chosen_for_each_run_has_no_names(votes):
    part = dataset(
        votes="votes.csv", base=votes, parameters={"draw": "posterior"}, submatrix={"size": 2, "per_run": True}
    )
    assert part.arm_names is None


TIES = np.array([[0.0, 0, 0], [0, 0, 4], [0, 4, 0]])
COUNTS = PairCounts(("a", "b", "c"), np.array([[0.0, 3, 0], [1, 0, 2], [0, 2, 0]]), TIES)


def test_shares_count_ties_half_and_refuse_pairs_without_votes():
    with pytest.raises(UserError, match="nobody has voted on a and c: draw: posterior"):
        shares(COUNTS, None, "v.csv")
    matrix = shares(COUNTS, "half", "v.csv")
    assert matrix.P[0].tolist() == [0.5, 0.75, 0.5] and matrix.P[1, 2] == 0.5 and matrix.names == ("a", "b", "c")
    strength = fit(COUNTS)
    modelled = shares(COUNTS, "bradley-terry", "v.csv")
    assert modelled.P[0, 2] == pytest.approx(1 / (1 + np.exp(strength[2] - strength[0]))) and modelled.P[0, 1] == 0.75


def test_matrices_without_a_condorcet_winner_are_left_out_where_one_is_asked_for():
    drawn = Voted(Posterior(COUNTS, 5.0), condorcet=True)
    rng = np.random.default_rng(1)
    assert all(drawn.draw(rng).condorcet_winner() is not None for _ in range(30))
    cycle = np.array([[0.0, 999, 1], [1, 0, 999], [999, 1, 0]])
    never = Voted(Posterior(PairCounts(("a", "b", "c"), cycle, 0 * cycle), 5.0), condorcet=True)
    with pytest.raises(UserError, match="none has a Condorcet winner"):
        never.draw(rng)


def test_identity_is_of_the_counts_and_how_they_are_drawn():
    renamed = PairCounts(("x", "y", "z"), COUNTS.wins, COUNTS.ties)
    assert Voted(Posterior(COUNTS)).identity() == Voted(Posterior(renamed)).identity()
    several = [
        Voted(Posterior(COUNTS)),
        Voted(Posterior(COUNTS, 5.0)),
        Voted(Posterior(COUNTS, math.inf)),
        Voted(Posterior(COUNTS), condorcet=True),
        Voted(Posterior(COUNTS), continues=True),
        Voted(Posterior(PairCounts(COUNTS.names, COUNTS.wins, 0 * COUNTS.ties))),
    ]
    assert len({json.dumps(each.identity(), allow_nan=False) for each in several}) == len(several)
