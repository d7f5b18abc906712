"""Datasets with matrices from votes."""

import json
import math

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.scores import fit
from duelbench.sources.datasets import dataset
from duelbench.votes import matrices as voted
from duelbench.votes.matrices import Voted, shares
from tests.vote_files import counts_of

VOTES = "model_a,model_b,winner\n" + "ann,bob,model_a\n" * 3 + "bob,cy,tie\ncy,ann,model_b\n"


@pytest.fixture
def votes(tmp_path):
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path


def of(base, file="votes.csv", **parameters):
    return dataset(votes=file, base=base, parameters=parameters)


def wrong(base, file="votes.csv", **parameters):
    with pytest.raises(UserError) as caught:
        of(base, file, **parameters)
    return caught.value


COUNTS = counts_of([[0, 3, 0], [1, 0, 2], [0, 2, 0]], [[0, 0, 0], [0, 0, 4], [0, 4, 0]])


def test_shares():
    with pytest.raises(UserError, match=r"v\.csv: there are no votes on a and c: .*draw: posterior"):
        shares(COUNTS, None, "v.csv")
    matrix = shares(COUNTS, "half", "v.csv")
    assert matrix.P[0].tolist() == [0.5, 0.75, 0.5] and matrix.P[1, 2] == 0.5 and matrix.names == ("a", "b", "c")
    strength = fit(COUNTS)
    modelled = shares(COUNTS, "bradley-terry", "v.csv")
    assert modelled.P[0, 2] == pytest.approx(1 / (1 + np.exp(strength[2] - strength[0]))) and modelled.P[0, 1] == 0.75


def test_condorcet_only(monkeypatch):
    monkeypatch.setattr(voted, "DRAWS", 500)
    drawn = Voted(Posterior(COUNTS, 5.0), condorcet=True)
    rng = np.random.default_rng(1)
    assert all(drawn.draw(rng).condorcet_winner() is not None for _ in range(30))
    never = Voted(Posterior(counts_of([[0, 999, 1], [1, 0, 999], [999, 1, 0]]), 5.0), condorcet=True)
    with pytest.raises(UserError, match="none of 500 matrices drawn from these votes has a Condorcet winner"):
        never.draw(rng)


def test_voted_identity():
    renamed = PairCounts(("x", "y", "z"), COUNTS.wins, COUNTS.ties)
    assert Voted(Posterior(COUNTS)).identity() == Voted(Posterior(renamed)).identity()
    several = [
        Voted(Posterior(COUNTS)),
        Voted(Posterior(COUNTS, 5.0)),
        Voted(Posterior(COUNTS, math.inf)),
        Voted(Posterior(COUNTS), condorcet=True),
        Voted(Posterior(COUNTS), continues=True),
        Voted(Posterior(counts_of(COUNTS.wins))),
    ]
    assert len({json.dumps(each.identity(), allow_nan=False) for each in several}) == len(several)


@pytest.mark.parametrize(
    ("parameters", "key", "sentence"),
    [
        ({"strength": 5.0}, "strength", "add it, or remove strength"),
        ({"draw": "bradley-terry", "strength": 5.0}, "strength", "draw: posterior"),
        ({"condorcet": True}, "condorcet", "add draw: posterior"),
        ({"continue": True}, "continue", "add draw: posterior"),
        ({"draw": "posterior", "unseen": "half"}, "unseen", "remove unseen"),
        ({"draw": "posterior", "strength": 0.0}, "strength", "greater than 0"),
        ({"draw": "prior"}, "draw", "posterior"),
        ({"drwa": "posterior"}, "drwa", "draw"),
    ],
)
def test_voting_errors(votes, parameters, key, sentence):
    error = wrong(votes, **parameters)
    assert error.key == (key,) and sentence in error.message


def test_posterior_dataset(votes):
    found = of(votes, draw="posterior")
    assert found.varies and [each.name for each in found.drawn_by] == ["votes"] and found.arms == 3
    assert found.title == "votes, drawn, K = 3"
    assert found.arm_names == ("ann", "bob", "cy")
    with pytest.raises(UserError, match="names that the votes give") as caught:
        found.with_names(["a", "b", "c"])
    assert caught.value.key == ("arms",)
    parameters = {"draw": "posterior"}
    part = dataset(votes="votes.csv", base=votes, parameters=parameters, submatrix={"size": 2, "per_run": True})
    assert part.arm_names is None


def test_identity_of_votes(votes):
    (votes / "other.csv").write_text(VOTES.replace("model_a,model_b,winner", "left,right,won"))
    words = "model_a=first & model_b=second"
    other = of(votes, "other.csv", draw="posterior", first="left", second="right", winner="won", outcomes=words)
    assert other.identity() == of(votes, draw="posterior").identity()
    assert of(votes, draw="posterior", ties="drop").identity() != other.identity()
    assert of(votes, draw="bradley-terry").identity()["strength"] == "infinite"
