"""Holds whose choice is deterministic: on any matrix the very path of stepping, and not that of holds a bit longer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelbench.algorithms.catalogue import catalogue
from duelbench.engine.checkpoints import checkpoints
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, pair_tables, simulate, streams

CONFIDENT = ("rucb", "rmed1", "rmed2", "rmed2fh", "ecw-rmed")
"""They hold whatever the matrix; CCB does so by itself where it has found a single winner."""
COMMITTING = ("if", "savage", "pbr", "rankel")
GAPS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def from_gaps(K, gaps):
    P = np.full((K, K), 0.5)
    P[np.triu_indices(K, 1)] += gaps
    P[np.tril_indices(K, -1)] = 1 - P.T[np.tril_indices(K, -1)]
    return PreferenceMatrix(P)


@st.composite
def matrices(draw, with_condorcet_winner=False):
    """Any tournament of two to six arms with gaps from ``GAPS``, ties and certainties among them."""
    K = draw(st.integers(2, 6))
    gap = st.sampled_from(GAPS).flatmap(lambda gap: st.sampled_from((gap, -gap)))
    pairs = K * (K - 1) // 2
    gaps = np.array(draw(st.lists(gap, min_size=pairs, max_size=pairs)))
    if with_condorcet_winner:
        gaps[: K - 1] = draw(st.lists(st.sampled_from(GAPS[1:]), min_size=K - 1, max_size=K - 1))
    return from_gaps(K, gaps).relabelled(draw(st.permutations(range(K))))


def course(algorithm, matrix, marks, seed, **how):
    """Return the duels of every pair at every checkpoint, and how the streams were left."""
    environment, policy = streams(seed, 0)
    played = simulate(algorithm, matrix.P, pair_tables(matrix.arms), np.asarray(marks), environment, policy, **how)
    return played.regret, environment.random(), policy.random()


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def holds_as_it_steps(name, matrix, marks, seed):
    algorithm = catalogue()[name]()
    return same(
        course(algorithm, matrix, marks, seed, stepping=False), course(algorithm, matrix, marks, seed, stepping=True)
    )


MARKS = checkpoints([100_000], 7)


@pytest.mark.parametrize("name", [*CONFIDENT, *COMMITTING])
@settings(max_examples=25, derandomize=True, deadline=None)
@given(matrix=matrices(), seed=st.integers(0, 2**32))
def test_holding_is_stepping(name, matrix, seed):
    assert holds_as_it_steps(name, matrix, MARKS, seed)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(matrix=matrices(with_condorcet_winner=True), seed=st.integers(0, 2**32))
def test_ccb_s_holding_is_stepping_where_one_arm_wins(matrix, seed):
    assert holds_as_it_steps("ccb", matrix, MARKS, seed)


@pytest.mark.parametrize("matrix", ["mslr5-non-condorcet", "arithmetic8", "tennis8", "sushi16", "hudry13"])
@pytest.mark.parametrize("name", [*CONFIDENT, *COMMITTING])
def test_holding_is_stepping_on_published_matrices(name, matrix):
    for seed in range(3):
        assert holds_as_it_steps(name, TABLES[matrix].matrix(), checkpoints([300_000], 5), seed)


class Stretched:
    """The kernels of another algorithm; its self-duels of several rounds last longer by ``stretch(count)`` rounds."""

    def __init__(self, algorithm, stretch):
        self.algorithm, self.stretch = algorithm, stretch

    def select(self, state, t, last, rng):
        first, second, count = self.algorithm.select(state, t, last, rng)
        if first == second and count < last - t + 1:
            count = min(last - t + 1, count + self.stretch(count))
        return first, second, count


def played(kernels, algorithm, matrix, marks, seed):
    """Return what ``course`` does, playing ``kernels`` answer by answer."""
    environment, policy = streams(seed, 0)
    state = algorithm.start(matrix.arms, int(marks[-1]))
    duels = np.zeros((len(marks), matrix.arms, matrix.arms))
    t = 1
    for k, last in enumerate(marks):
        while t <= last:
            first, second, count = kernels.select(state, t, int(last), policy)
            wins = int(environment.random() < matrix.P[first, second]) if first != second else 0
            algorithm.update(state, first, second, wins, count)
            duels[k:, first, second] += count
            t += count
    return duels.reshape(len(marks), -1).T, environment.random(), policy.random()


@pytest.mark.parametrize("name", [*CONFIDENT, "ccb"])
def test_holds_that_last_too_long_leave_the_path(name):
    """One round beyond the threshold, or a fifth of the hold: the yardstick of ``test_holding_is_stepping`` sees it."""
    algorithm = catalogue()[name]()
    marks = checkpoints([100_000], 2)
    seen = {"right": 0, "a round": 0, "a fifth": 0}
    for matrix in (MATRICES["six-rankers"], MATRICES["cyclic4"], from_gaps(4, 0.4)):
        for seed in range(3):
            path = course(algorithm, matrix, marks, seed)
            for mistake, stretch in (("right", lambda _: 0), ("a round", lambda _: 1), ("a fifth", lambda n: n // 5)):
                other = played(Stretched(algorithm, stretch), algorithm, matrix, marks, seed)
                seen[mistake] += not same(path, other)
    assert seen["right"] == 0
    assert seen["a round"] > 2
    assert seen["a fifth"] > 2
