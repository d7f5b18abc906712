"""Uniform, RUCB, RMED1 and BTM: the very path of the literal transcriptions; of RUCB and RMED1 with holds, too."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.divergence.rmed1 import Rmed1
from duelbench.algorithms.elimination.btm import Btm
from duelbench.algorithms.uniform import Uniform
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.simulate import simulate
from duelbench.literal import btm, rmed1, rucb, uniform
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, kernel_path, pair_tables, streams

TIED = np.full((5, 5), 0.5)
TIED[0, 1:], TIED[1:, 0] = 0.7, 0.3
ALL = MATRICES | {
    "two arms": PreferenceMatrix([[0.5, 0.3], [0.7, 0.5]]),
    "one winner, the rest tied": PreferenceMatrix(TIED),
    "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
    "certain": PreferenceMatrix([[0.5, 1, 1, 0], [0, 0.5, 1, 1], [0, 0, 0.5, 1], [1, 0, 0, 0.5]]),
    "certain order": PreferenceMatrix(np.triu(np.ones((4, 4)), 1) + np.eye(4) / 2),
    "tennis8": TABLES["tennis8"].matrix(),
}
VARIANTS = {
    "uniform": (Uniform, uniform, {}),
    "round-robin": (Uniform, uniform, {"variant": "round-robin"}),
    "rucb": (Rucb, rucb, {}),
    "rucb, eager": (Rucb, rucb, {"alpha": 0.05}),
    "rucb, cautious": (Rucb, rucb, {"alpha": 1.0}),
    "rmed1": (Rmed1, rmed1, {}),
    "rmed1, small f": (Rmed1, rmed1, {"f_scale": 0.05, "f_power": 0.5}),
    "rmed1, no f": (Rmed1, rmed1, {"f_scale": 0.0}),
    "btm": (Btm, btm, {}),
    "btm, scale 1, gamma 1": (Btm, btm, {"confidence_scale": 1.0, "gamma": 1.0}),
    "btm, eager": (Btm, btm, {"confidence_scale": 0.3, "gamma": 1.0}),
    "btm, rash": (Btm, btm, {"confidence_scale": 0.01, "gamma": 1.0}),
}


def literal_path(module, P, horizon, seed, parameters):
    environment, policy = streams(seed, 0)
    return module.run(P, horizon, policy, environment, **parameters)


def same_path(variant, matrix, horizon, seed, **mistakes):
    algorithm, module, parameters = VARIANTS[variant]
    ours = kernel_path(algorithm(**parameters | mistakes), ALL[matrix], horizon, seed)
    return np.array_equal(ours, literal_path(module, ALL[matrix].P, horizon, seed, parameters))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("matrix", ALL)
def test_the_path_is_the_literal_one(variant, matrix):
    assert same_path(variant, matrix, 1000 if matrix == "random10" else 3000, seed=1)
    for seed in range(2, 6):
        assert same_path(variant, matrix, 250, seed)


@pytest.mark.parametrize("horizon", [1, 2, 7])
def test_short_horizons_have_the_literal_path(horizon):
    for variant in VARIANTS:
        for matrix in ("six-rankers", "two arms", "certain"):
            assert same_path(variant, matrix, horizon, seed=9)


@pytest.mark.parametrize(
    ("variant", "mistake"),
    [
        ("rucb", {"alpha": 0.51 * 1.2}),
        ("rucb", {"alpha": 0.51 * 1.001}),
        ("rmed1", {"f_scale": 0.36}),
        ("rmed1", {"f_power": 1.0}),
        ("btm, eager", {"confidence_scale": 0.36}),
        ("btm, eager", {"gamma": 1.1}),
    ],
)
def test_a_small_mistake_leaves_the_path(variant, mistake):
    assert not any(same_path(variant, "cyclic4", 3000, seed, **mistake) for seed in range(3))


# Holds


def course(variant, matrix, horizon, seed, per_decade=10, **how):
    """Return the counts of every ordered pair at every checkpoint, and the streams as they were left."""
    algorithm, _, parameters = VARIANTS[variant]
    environment, policy = streams(seed, 0)
    grid = checkpoints([horizon], per_decade)
    played = simulate(
        algorithm(**parameters), ALL[matrix].P, pair_tables(ALL[matrix].arms), grid, environment, policy, **how
    )
    assert np.array_equal(played.regret.sum(axis=0), grid)
    return played, environment.bit_generator.state, policy.bit_generator.state


HELD = [name for name in VARIANTS if VARIANTS[name][0] not in (Uniform, Btm)]  # these draw for many rounds at once


@pytest.mark.parametrize("variant", HELD)
@pytest.mark.parametrize("matrix", [matrix for matrix in ALL if matrix != "random10"])
def test_holding_is_stepping(variant, matrix):
    horizon = 1_000_000 if matrix in ("cyclic4", "certain order", "two arms") else 100_000
    for seed in (1, 2):
        held, *streams_after = course(variant, matrix, horizon, seed)
        stepped, *streams_after_steps = course(variant, matrix, horizon, seed, stepping=True)
        assert np.array_equal(held.regret, stepped.regret)
        assert np.array_equal(held.duels, stepped.duels)
        assert streams_after == streams_after_steps


@pytest.mark.parametrize("variant", ["rucb", "rucb, eager", "rmed1", "rmed1, no f"])
def test_where_the_checkpoints_lie_changes_nothing(variant):
    few, *few_streams = course(variant, "cyclic4", 10**6, 3, per_decade=1)
    many, *many_streams = course(variant, "cyclic4", 10**6, 3, per_decade=100)
    assert np.array_equal(few.duels, many.duels)
    assert few_streams == many_streams


class TooLong:
    """The kernels of another algorithm, with holds 20 % longer."""

    def __init__(self, algorithm):
        self.start, self.update = algorithm.start, algorithm.update
        self.algorithm = algorithm

    def select(self, state, t, last, rng):
        first, second, count = self.algorithm.select(state, t, last, rng)
        return first, second, min(last - t + 1, count + count // 5)


def answers(kernels, P, horizon):
    """Return (t, first, second, count) of every answer."""
    environment, policy = streams(1, 0)
    state = kernels.start(len(P), horizon)
    given = []
    t = 1
    while t <= horizon:
        first, second, count = kernels.select(state, t, horizon, policy)
        kernels.update(state, first, second, int(first != second and environment.random() < P[first, second]), count)
        given.append((t, first, second, count))
        t += count
    return given


def informative(given):
    return [(t, first, second) for t, first, second, _ in given if first != second]


@pytest.mark.parametrize("variant", ["rucb", "rmed1"])
def test_holds_do_happen_and_one_that_is_too_long_leaves_the_path(variant):
    algorithm, _, parameters = VARIANTS[variant]
    P = ALL["certain order"].P
    given = answers(algorithm(**parameters), P, 10**6)
    assert len(given) < 1000
    assert max(count for *_, count in given) > 10_000
    assert informative(given) != informative(answers(TooLong(algorithm(**parameters)), P, 10**6))
    # The same path round by round: the yardstick of test_holding_is_stepping in another form.
    path = literal_path(VARIANTS[variant][1], P, 3000, 1, parameters)
    literal = [(t, i, j) for t, (i, j) in enumerate(path.tolist(), start=1) if i != j]
    assert [duel for duel in informative(given) if duel[0] <= 3000] == literal
