""""""

import numpy as np
import pytest

from duelbench.sources.generators import (
    FAMILIES,
    Bandit,
    BordaVsCondorcet,
    BtlUniform,
    HardInstance,
    LinearOrder,
    RandomFamily,
    ThreeWinners,
    UniformRandom,
)


def rng(seed=1):
    return np.random.default_rng(seed)


def off_diagonal(P):
    return P[~np.eye(len(P), dtype=bool)]


def test_btl_uniform_has_the_strengths_of_the_model():
    P = BtlUniform(arms=60).draw(rng()).P
    odds = P / (1 - P)
    # w[i] / w[k] = (w[i] / w[j]) (w[j] / w[k]), and the weights relative to the largest are uniform.
    np.testing.assert_allclose(odds[:, [3]] * odds[[3], :], odds, rtol=1e-9)
    weights = np.concatenate([BtlUniform(arms=60).draw(rng(seed)).P[:, 0] for seed in range(40)])
    ratio = weights[weights != 0.5] / (1 - weights[weights != 0.5])
    # Of the ratio of two independent uniforms: P(ratio <= x) = x / 2 for x <= 1.
    assert np.mean(ratio <= 0.5) == pytest.approx(0.25, abs=0.12)
    assert np.mean(ratio <= 1) == pytest.approx(0.5, abs=0.15)


def test_hard_instance_is_flat_but_for_its_winner():
    winners, gaps = [], []
    for seed in range(400):
        matrix = HardInstance(arms=8).draw(rng(seed))
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


def test_linear_order():
    P = LinearOrder(arms=4).draw(rng()).P
    np.testing.assert_allclose(P[0], [0.5, 0.625, 0.75, 0.875])
    np.testing.assert_allclose(P[2], [0.25, 0.375, 0.5, 0.625])


def test_uniform_random_is_uniform():
    p = off_diagonal(UniformRandom(arms=200).draw(rng()).P)
    assert np.quantile(p, [0.1, 0.25, 0.5]) == pytest.approx([0.1, 0.25, 0.5], abs=0.01)


def test_uniform_random_condorcet_crowns_a_random_arm_and_leaves_the_rest_uniform():
    matrices = [UniformRandom(arms=6, condorcet=True).draw(rng(seed)) for seed in range(400)]
    winners = [matrix.condorcet_winner() for matrix in matrices]
    assert min(np.bincount(winners, minlength=6)) > 35
    row = [np.delete(m.P[w], w) for m, w in zip(matrices, winners, strict=True)]
    assert np.mean(row) == pytest.approx(0.75, abs=0.02) and np.max(row) > 0.99 and np.min(row) < 0.51
    rest = [off_diagonal(np.delete(np.delete(m.P, w, 0), w, 1)) for m, w in zip(matrices, winners, strict=True)]
    assert np.quantile(rest, 0.25) == pytest.approx(0.25, abs=0.02)


def test_borda_vs_condorcet_separates_the_two_winners():
    matrix = BordaVsCondorcet().draw(rng())
    assert matrix.P[0, 1:].tolist() == [0.501] * 4
    assert matrix.P[1, 2:].tolist() == [1, 1, 1]
    assert matrix.condorcet_winner() == 0
    assert matrix.borda_scores().argmax() == 1
    assert matrix.wins().tolist() == [4, 3, 2, 1, 0]
    assert BordaVsCondorcet(arms=3).draw(rng()).borda_scores().argmax() == 1


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_family_contract(family):
    model = family(arms=5)
    first, again, other = (model.draw(rng(seed)).digest() for seed in (1, 1, 2))
    assert first == again
    assert (first != other) == model.varies == family.random == issubclass(family, RandomFamily)
    assert model.draw(rng()).arms == 5
    assert model.draw(rng()).source == family.name
    others = {"btl-uniform": 100, "hard-instance": 100, "borda-vs-condorcet": 5, "bvs": 20, "savage-order": 30}
    assert family().arms == others.get(family.name, 10)
    assert family.title and family.citation
    assert all(field.description for field in family.model_fields.values())


@pytest.mark.parametrize("family", [f for f in FAMILIES.values() if f.random], ids=lambda f: f.name)
def test_seeded_family_ignores_the_run(family):
    model = family(arms=5, seed=7)
    assert not model.varies
    assert model.draw(rng(1)).digest() == model.draw(rng(2)).digest()
    assert model.draw(rng(1)).digest() != family(arms=5, seed=8).draw(rng(1)).digest()


def test_a_seed_gives_the_same_numbers_for_good():
    # Published results name the seed: these numbers must never change.
    expected = {
        UniformRandom: [0.5, 0.3396758804244413, 0.255665585540541],
        HardInstance: [0.5, 0.6698379402122207, 0.6698379402122207],
        BtlUniform: [0.5, 0.047337296701297146, 0.04222008258178791],
    }
    for family, row in expected.items():
        assert family(arms=3, seed=2016).draw(rng()).P[0].tolist() == row


@pytest.mark.parametrize("arms", [3, 4, 50])
def test_three_winners_lose_to_one_arm_each(arms):
    matrix = ThreeWinners(arms=arms, gap=0.2).draw(rng())
    assert matrix.copeland_winners().tolist() == [0, 1, 2]
    assert matrix.condorcet_winner() is None
    assert matrix.copeland_scores()[0] == pytest.approx((arms - 2) / (arms - 1))
    assert matrix.smallest_gap() == pytest.approx(0.2)


def test_a_bandit_has_uniform_means_against_its_yardstick_and_its_best_arm_beats_all():
    matrices = [Bandit(arms=4).draw(rng(seed)) for seed in range(400)]
    means = np.array([matrix.P[1:, 0] for matrix in matrices])
    assert means.max(axis=1).min() > 0.5
    assert [matrix.condorcet_winner() for matrix in matrices] == (1 + means.argmax(axis=1)).tolist()
    for matrix, mean in zip(matrices, means, strict=True):
        np.testing.assert_allclose(matrix.P[1:, 1:], 0.5 + (mean[:, None] - mean) / 2)
    # one draw in eight is refused: three means below a half
    assert np.mean(means < 0.25) == pytest.approx((1 / 4 - 1 / 16) / (7 / 8), abs=0.03)
