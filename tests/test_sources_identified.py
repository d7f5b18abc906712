"""Instances of papers on identification: each draws what its paper says."""

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.identified import BtlReversed, BtlScores, CondorcetGap, FlatOrder, RandomTournament
from duelbench.sources.parameters import validated


def drawn(family, count=200):
    return [family.draw(np.random.default_rng(seed)) for seed in range(count)]


def above(P):
    return P[np.triu_indices(len(P), 1)]


def test_btl_with_evenly_spaced_log_scores():
    P = BtlScores(arms=6, step=0.24).draw(None).P
    v = np.exp(-0.24 * np.arange(6))
    np.testing.assert_allclose(P, v[:, None] / (v[:, None] + v))
    assert BtlScores(arms=200, step=50).draw(None).P[0, 199] == 1  # nothing overflows
    np.testing.assert_allclose(BtlScores(arms=4, step=0).draw(None).P, 0.5)


def test_btl_with_given_scores():
    family = validated(BtlScores, {"scores": "8.2  100 48"})
    assert family.arms == 3
    assert family.model_dump()["arms"] == 3  # what determines the matrix is in its key
    np.testing.assert_allclose(family.draw(None).P[0], [0.5, 8.2 / 108.2, 8.2 / 56.2])


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"scores": "1 2 x"}, "'x' is not a number"),
        ({"scores": "1 0"}, "it must be above 0"),
        ({"scores": "1 nan"}, "it must be above 0"),
        ({"scores": "1"}, "two arms at least"),
        ({"scores": ""}, "two arms at least"),
        ({"scores": "1 2", "arms": 3}, "there are 2 scores: remove arms"),
        ({"scores": "1 2", "step": 0.5}, "remove one of them"),
        ({"scores": 3.0}, "scores is 3.0"),
    ],
)
def test_wrong_scores_are_one_sentence(written, said):
    with pytest.raises(UserError, match=said) as caught:
        validated(BtlScores, written)
    assert caught.value.key[0] in ("scores", "arms", "step")


@pytest.mark.parametrize(("share", "reversed_pairs"), [(0, 0), (0.11, 5), (0.31, 14), (1, 45)])
def test_a_share_of_pairs_is_given_to_the_worse_arm(share, reversed_pairs):
    scores = 10.0 - np.arange(10)
    model = above(scores[:, None] / np.add.outer(scores, scores))
    values = []
    for matrix in drawn(BtlReversed(arms=10, share=share), 60):
        p = above(matrix.P)
        changed = p != model
        assert changed.sum() == reversed_pairs
        values += p[changed].tolist()
    if values:
        assert max(values) < 0.5
        assert np.mean(values) == pytest.approx(0.25, abs=0.04)


def test_every_pair_is_as_likely_to_be_reversed():
    found = np.mean([above(matrix.P) < 0.5 for matrix in drawn(BtlReversed(arms=5, share=0.3), 600)], axis=0)
    assert found == pytest.approx(0.3, abs=0.07)


def test_a_flat_order():
    np.testing.assert_allclose(FlatOrder(arms=3).draw(None).P, [[0.5, 0.6, 0.6], [0.4, 0.5, 0.6], [0.4, 0.4, 0.5]])


def test_pairs_of_a_tournament_are_turned_by_a_coin():
    p = np.array([above(matrix.P) for matrix in drawn(RandomTournament(arms=6, gap=0.1, spread=0.4))])
    distance = np.abs(p - 0.5)
    assert distance.min() > 0.1 and distance.max() < 0.5
    assert distance.mean() == pytest.approx(0.3, abs=0.01)
    assert (p > 0.5).mean() == pytest.approx(0.5, abs=0.03)
    flat = above(RandomTournament(arms=6, gap=0.45, spread=0).draw(np.random.default_rng(1)).P)
    assert np.abs(flat - 0.5) == pytest.approx(0.45)


def test_a_condorcet_winner_of_a_tournament_is_any_arm_by_the_same_probabilities():
    matrices = drawn(RandomTournament(arms=5, gap=0.05, spread=0.15, condorcet=True), 300)
    winners = [matrix.condorcet_winner() for matrix in matrices]
    assert min(np.bincount(winners, minlength=5)) > 35
    own = np.array([np.delete(matrix.P[winner], winner) for matrix, winner in zip(matrices, winners, strict=True)])
    assert own.min() > 0.55 and own.max() < 0.7
    assert own.mean() == pytest.approx(0.625, abs=0.005)
    others = [m.P[i, j] > 0.5 for m, w in zip(matrices, winners, strict=True) for i, j in [((w + 1) % 5, (w + 2) % 5)]]
    assert np.mean(others) == pytest.approx(0.5, abs=0.1)


def test_a_tournament_goes_up_to_certainty_and_no_further():
    with pytest.raises(UserError, match="gap \\+ spread is above 1/2"):
        validated(RandomTournament, {"gap": 0.3, "spread": 0.3})
    assert validated(RandomTournament, {"gap": 0.1, "spread": 0.4}).draw(np.random.default_rng(1)).P.max() <= 1


def test_a_condorcet_gap():
    matrices = drawn(CondorcetGap(arms=5, h=0.2), 400)
    winners = [matrix.condorcet_winner() for matrix in matrices]
    assert min(np.bincount(winners, minlength=5)) > 50
    difference = np.array([np.abs(2 * above(matrix.P) - 1) for matrix in matrices])
    assert difference.min() > 0.2
    # E |u − v| / (u + v) = 2 ln 2 − 1
    assert difference.mean() == pytest.approx(0.2 + 0.8 * (2 * np.log(2) - 1), abs=0.01)
    others = [m.P[i, j] > 0.5 for m, w in zip(matrices, winners, strict=True) for i, j in [((w + 1) % 5, (w + 2) % 5)]]
    assert np.mean(others) == pytest.approx(0.5, abs=0.08)
