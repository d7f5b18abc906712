"""Random and fixed families of matrices: each draws as its paper says."""

import itertools

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import (
    GENERATORS,
    Bandit,
    BordaVsCondorcet,
    BtlLogUniform,
    BtlReversed,
    BtlUniform,
    HardInstance,
    Piecewise,
    RandomGenerator,
    RandomTournament,
    UniformRandom,
)
from tests.choosing import rng


def drawn(family, count=200):
    return [family.draw(rng(seed)) for seed in range(count)]


def off_diagonal(P):
    return P[~np.eye(len(P), dtype=bool)]


def test_btl_uniform():
    P = BtlUniform(arms=60).draw(rng()).P
    odds = P / (1 - P)
    # w[i] / w[k] = (w[i] / w[j]) (w[j] / w[k]), and the weights relative to the largest are uniform.
    np.testing.assert_allclose(odds[:, [3]] * odds[[3], :], odds, rtol=1e-9)
    weights = np.concatenate([matrix.P[:, 0] for matrix in drawn(BtlUniform(arms=60), 40)])
    ratio = weights[weights != 0.5] / (1 - weights[weights != 0.5])
    # The ratio of two independent uniform numbers: P(ratio <= x) = x / 2 for x <= 1.
    assert np.mean(ratio <= 0.5) == pytest.approx(0.25, abs=0.12)
    assert np.mean(ratio <= 1) == pytest.approx(0.5, abs=0.15)


def test_hard_instance():
    winners, gaps = [], []
    for matrix in drawn(HardInstance(arms=8), 400):
        winner = matrix.condorcet_winner()
        gap = matrix.P[winner, winner - 1] - 0.5
        assert np.all(np.delete(matrix.P[winner], winner) == 0.5 + gap)
        rest = np.delete(np.delete(matrix.P, winner, 0), winner, 1)
        assert np.all(rest == 0.5)
        winners.append(winner)
        gaps.append(gap)
    assert min(np.bincount(winners, minlength=8)) > 25
    assert 0 < min(gaps) < 0.02 and 0.48 < max(gaps) < 0.5
    assert np.mean(gaps) == pytest.approx(0.25, abs=0.03)


def test_uniform_random():
    p = off_diagonal(UniformRandom(arms=200).draw(rng()).P)
    assert np.quantile(p, [0.1, 0.25, 0.5]) == pytest.approx([0.1, 0.25, 0.5], abs=0.01)
    matrices = drawn(UniformRandom(arms=6, condorcet=True), 400)
    winners = [matrix.condorcet_winner() for matrix in matrices]
    assert min(np.bincount(winners, minlength=6)) > 35
    row = [np.delete(m.P[w], w) for m, w in zip(matrices, winners, strict=True)]
    assert np.mean(row) == pytest.approx(0.75, abs=0.02) and np.max(row) > 0.99 and np.min(row) < 0.51
    rest = [off_diagonal(np.delete(np.delete(m.P, w, 0), w, 1)) for m, w in zip(matrices, winners, strict=True)]
    assert np.quantile(rest, 0.25) == pytest.approx(0.25, abs=0.02)


def test_borda_vs_condorcet():
    matrix = BordaVsCondorcet().draw(rng())
    assert matrix.P[0, 1:].tolist() == [0.501] * 4
    assert matrix.P[1, 2:].tolist() == [1, 1, 1]
    assert matrix.condorcet_winner() == 0
    assert matrix.borda_scores().argmax() == 1
    assert matrix.wins().tolist() == [4, 3, 2, 1, 0]
    assert BordaVsCondorcet(arms=3).draw(rng()).borda_scores().argmax() == 1


@pytest.mark.parametrize("family", GENERATORS.values(), ids=GENERATORS)
def test_family_contract(family):
    model = family(arms=5)
    first, again, other = (model.draw(rng(seed)).digest() for seed in (1, 1, 2))
    assert first == again
    assert (first != other) == model.varies == issubclass(family, RandomGenerator)
    assert model.draw(rng()).arms == 5
    assert model.draw(rng()).source == family.name
    assert family.title and family.citation
    assert all(field.description for field in family.model_fields.values())
    if model.varies:
        seeded = family(arms=5, seed=7)
        assert not seeded.varies
        assert seeded.draw(rng(1)).digest() == seeded.draw(rng(2)).digest()
        assert seeded.draw(rng(1)).digest() != family(arms=5, seed=8).draw(rng(1)).digest()


def test_pinned_draws():
    # Published results name the seed: these numbers must never change.
    expected = {
        UniformRandom: [0.5, 0.3396758804244413, 0.255665585540541],
        HardInstance: [0.5, 0.6698379402122207, 0.6698379402122207],
        BtlUniform: [0.5, 0.047337296701297146, 0.04222008258178791],
    }
    for family, row in expected.items():
        assert family(arms=3, seed=2016).draw(rng()).P[0].tolist() == row


def test_bandit():
    matrices = drawn(Bandit(arms=4), 400)
    means = np.array([matrix.P[1:, 0] for matrix in matrices])
    assert means.max(axis=1).min() > 0.5
    assert [matrix.condorcet_winner() for matrix in matrices] == (1 + means.argmax(axis=1)).tolist()
    for matrix, mean in zip(matrices, means, strict=True):
        np.testing.assert_allclose(matrix.P[1:, 1:], 0.5 + (mean[:, None] - mean) / 2)
    # one draw in eight is refused: three means below a half
    assert np.mean(means < 0.25) == pytest.approx((1 / 4 - 1 / 16) / (7 / 8), abs=0.03)


def above(P):
    return P[np.triu_indices(len(P), 1)]


@pytest.mark.parametrize(("share", "reversed_pairs"), [(0, 0), (0.11, 5), (0.31, 14), (1, 45)])
def test_btl_reversed(share, reversed_pairs):
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
    found = np.mean([above(matrix.P) < 0.5 for matrix in drawn(BtlReversed(arms=5, share=0.3), 600)], axis=0)
    assert found == pytest.approx(0.3, abs=0.07)


def test_btl_log_uniform():
    """θ[i] − θ[0] is a difference of two independent uniform numbers: triangular on ±12/λ for 11 arms."""
    matrices = [matrix.P for matrix in drawn(BtlLogUniform(arms=11, density=4), 300)]
    apart = [np.log(P / (1 - P)) for P in matrices]
    np.testing.assert_allclose(apart[0][:, [3]] + apart[0][[3], :], apart[0], atol=1e-9)
    first = np.abs([each[0, 1] for each in apart])
    assert first.max() <= 12 / 4
    assert np.quantile(first, [0.25, 0.5]) == pytest.approx([3 * (1 - 0.75**0.5), 3 * (1 - 0.5**0.5)], abs=0.15)


def test_tournament():
    p = np.array([above(matrix.P) for matrix in drawn(RandomTournament(arms=6, gap=0.1, spread=0.4))])
    distance = np.abs(p - 0.5)
    assert distance.min() > 0.1 and distance.max() < 0.5
    assert distance.mean() == pytest.approx(0.3, abs=0.01)
    assert (p > 0.5).mean() == pytest.approx(0.5, abs=0.03)
    flat = above(RandomTournament(arms=6, gap=0.45, spread=0).draw(rng()).P)
    assert np.abs(flat - 0.5) == pytest.approx(0.45)


def sequence(family, length, seed):
    """Return successive matrices, each with the numbers drawn for it."""
    generator, found = rng(seed), []
    parameters = family.draw_parameters(generator)
    for _ in range(length):
        found.append((parameters, family.matrix(parameters)))
        parameters = family.following(found[-1][1], 1, generator)
    return found


def test_piecewise():
    winners = set()
    for seed in range(200):
        parameters, matrix = sequence(Piecewise(arms=5, p_min=0.6), 1, seed)[0]
        winner = matrix.condorcet_winner()
        assert winner == parameters["winner"]
        row = np.delete(matrix.P[winner], winner)
        assert row.min() == 0.6 and (row == 0.6).sum() == 1
        winners.add(winner)
    assert winners == set(range(5))


def test_piecewise_change():
    moves, pairs, ups = [], [], []
    for seed in range(100):
        family = Piecewise(arms=5, p_min=0.55, delta=0.3)
        for (_, before), (parameters, after) in itertools.pairwise(sequence(family, 6, seed)):
            old, new = before.condorcet_winner(), after.condorcet_winner()
            assert old != new == parameters["winner"]
            arm = parameters["moved"]
            moves.append(abs(after.P[old, arm] - before.P[old, arm]))
            ups.append(after.P[old, arm] > before.P[old, arm])
            if arm == new:
                assert after.P[new, old] >= 0.55 - 1e-12 and not ups[-1]
            pairs.append(arm == new)
            least = np.delete(after.P[new], [new, old] if arm == new else [new])
            assert least.min() >= 0.55 - 1e-12
    assert np.allclose(moves, 0.3)
    assert 0 < np.mean(pairs) < 0.25  # some conditions refuse it as the new winner
    # A fair coin moves a probability up, but only if the old one, which is at least 0.55, is below 0.7.
    assert 0.1 < np.mean(ups) < 0.25

    found = sequence(Piecewise(arms=2, p_min=0.9, delta=0.9), 5, 3)
    assert [matrix.condorcet_winner() for _, matrix in found] in ([0, 1, 0, 1, 0], [1, 0, 1, 0, 1])
    circle = PreferenceMatrix([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]])
    with pytest.raises(UserError, match="must follow a matrix with a Condorcet winner"):
        Piecewise(arms=3).following(circle, 5, rng())
