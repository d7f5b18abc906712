"""Holds: a run with them is the same as round by round or, if a hold draws, has the same distribution.

The rows are in hold_rows.py, the checks in duelbench/conformance/holds.py.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.case import order
from duelbench.conformance.contract import observed
from duelbench.conformance.holds import holds_as_it_steps
from duelbench.conformance.rounds import pair_tables, streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.problem import checkpoints, problem_of
from duelbench.engine.rollout import Streams, rollout
from duelbench.experiment.answers import answers
from duelbench.preferences.changing import Changing
from duelbench.preferences.matrix import PreferenceMatrix
from tests.comparison import agreement
from tests.hold_rows import EXACT, SAMPLED
from tests.instances import INSTANCES
from tests.playing import holds_round_by_round, sample
from tests.reference_paths import reference_course

# Holds that draw nothing


@pytest.mark.parametrize("label", EXACT)
def test_exact(label):
    row, marks, held = EXACT[label], checkpoints([EXACT[label].rounds], 10), 0
    for seed, instance in enumerate(row.instances, start=4):
        matrix = INSTANCES[instance]
        assert holds_as_it_steps(row.algorithm(), matrix, marks, seed, row.draws, delay=row.delay), instance
        held += np.trace(observed(row.algorithm(), matrix, marks, streams(seed, 0)).duels) > 0
    assert held or not row.holds


CONFIDENT = ("rucb", "rmed1", "rmed2", "rmed2fh", "ecw-rmed", "cw-rmed")
"""They hold on all matrices; CCB does so once it has found a single winner."""
BY_ROUND = [
    *((name, {}) for name in (*CONFIDENT, "ccb")),
    ("rucb", {"alpha": 0.05}),
    ("rmed1", {"f_scale": 0.0}),
    ("rmed2", {"alpha": 20.0}),
    ("ecw-rmed", {"alpha": 10.0}),
    ("ccb", {"alpha": 0.2}),
]
"""Algorithms whose holds end on their own: later checkpoints may miss a hold that ends a round too late."""


@pytest.mark.parametrize(("name", "parameters"), BY_ROUND, ids=str)
def test_holds_end_in_their_round(name, parameters):
    for matrix in ("six-rankers", "cyclic4", "certain order", "two arms"):
        assert holds_round_by_round(catalogue()[name](**parameters), INSTANCES[matrix], 2000, 4), matrix


GAPS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


@st.composite
def matrices(draw, with_condorcet_winner=False):
    """Any tournament of two to six arms with gaps from ``GAPS``, including ties and certain outcomes."""
    K = draw(st.integers(2, 6))
    gap = st.sampled_from(GAPS).flatmap(lambda gap: st.sampled_from((gap, -gap)))
    pairs = K * (K - 1) // 2
    gaps = np.array(draw(st.lists(gap, min_size=pairs, max_size=pairs)))
    if with_condorcet_winner:
        gaps[: K - 1] = draw(st.lists(st.sampled_from(GAPS[1:]), min_size=K - 1, max_size=K - 1))
    P = np.full((K, K), 0.5)
    P[np.triu_indices(K, 1)] += gaps
    P[np.tril_indices(K, -1)] = 1 - P.T[np.tril_indices(K, -1)]
    return PreferenceMatrix(P).relabelled(draw(st.permutations(range(K))))


MARKS = checkpoints([30_000], 7)


@pytest.mark.parametrize("name", [*CONFIDENT, "if", "savage", "pbr", "rankel"])
@settings(max_examples=15, derandomize=True, deadline=None)
@given(matrix=matrices(), seed=st.integers(0, 2**32))
def test_exact_on_any_matrix(name, matrix, seed):
    assert holds_as_it_steps(catalogue()[name](), matrix, MARKS, seed)


@settings(max_examples=15, derandomize=True, deadline=None)
@given(matrix=matrices(with_condorcet_winner=True), seed=st.integers(0, 2**32))
def test_ccb_where_one_arm_wins(matrix, seed):
    assert holds_as_it_steps(catalogue()["ccb"](), matrix, MARKS, seed)


# Holds and blocks that draw


def over_early(row, seed):
    """Return whether a run has at most the share of answers in the row."""
    problem = Problem(row.matrix.P, pair_tables(row.matrix.arms) if row.tables is None else row.tables)
    return len(answers(row.algorithm(), problem, row.marks[-1], streams(seed, 0))) <= int(row.share * row.marks[-1])


@pytest.mark.parametrize(
    "label", [pytest.param(label, marks=pytest.mark.slow if row.slow else ()) for label, row in SAMPLED.items()]
)
def test_sampled(label):
    row = SAMPLED[label]
    held = sample(row.algorithm(), row.matrix, row.marks, row.runs, 1, row.tables)
    algorithm = row.free or row.algorithm()
    stepped = sample(algorithm, row.matrix, row.marks, row.runs, 2, row.tables, stepping=row.free is None)
    assert agreement(held, stepped) > 0.001
    assert sum(over_early(row, seed) for seed in range(5)) >= 3


# Preferences that change: exact up to each change, none beyond it

BEGINS = (1, 400, 401, 801, 1100)
ORDERS = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 2, 3], [2, 3, 0, 1], [0, 1, 2, 3]]
CHANGED = checkpoints([1500], 5)
DRAWING = ("bcb", "btm", "ccb", "d-ts", "d-ts+", "nts", "rcs", "scb", "uniform")
"""Algorithms that draw in holds and blocks."""


def counting(matrices):
    """A problem whose "regret" counts the duels of each ordered pair, separately in each segment."""
    tables = [pair_tables(matrices[0].arms) * 10_000.0**segment for segment in range(2)]
    return Problem.changing(
        BEGINS, [each.P for each in matrices], [tables[segment % 2] for segment in range(len(matrices))]
    )


def play(name, problem, marks, number, **rules):
    return rollout(catalogue()[name](), problem, np.asarray(marks), Streams(*streams(3, number)), Rules(**rules))


@pytest.mark.parametrize("name", [name for name in catalogue() if name not in DRAWING])
def test_changing_exact(name):
    """Outcomes are certain, so the draws in blocks do not matter; each change makes another arm best."""
    problem = counting([order(4, 1.0).relabelled(each) for each in ORDERS])
    held, stepped = (play(name, problem, CHANGED, 1, stepping=stepping) for stepping in (False, True))
    assert np.array_equal(held.regret, stepped.regret)
    assert held.declaration == stepped.declaration


OTHER_DRAWS = ("anaconda", "btm", "d-ts", "d-ts+", "merge-dts", "nts", "probe-rank-se", "rcs", "scb")
"""Algorithms that draw in another order than their reference implementations."""


@pytest.mark.parametrize("name", list(catalogue()))
def test_changing_beside_reference(name):
    cyclic, rounds = INSTANCES["cyclic4"], np.arange(1, 201)
    orders = {1: [0, 1, 2, 3], 70: [2, 1, 0, 3], 71: [3, 1, 0, 2], 130: [1, 0, 2, 3]}
    changing = Changing([(begin, cyclic.relabelled(each)) for begin, each in orders.items()])

    def both(preferences):
        problem = problem_of(preferences, ("copeland", "borda"))
        path, declaration = reference_course(catalogue()[name](), problem, 200, 7)
        regret = np.cumsum([problem.regrets_at(t)[:, *pair] for t, pair in enumerate(path, start=1)], axis=0)
        run = rollout(catalogue()[name](), problem, rounds, Streams(*streams(7, 0)), Rules(stepping=True))
        assert len(path) == 200 == run.duels.sum()
        return np.allclose(run.regret.T, regret, rtol=0, atol=1e-9) and run.declaration == declaration

    # Some algorithms draw differently even without changes and round by round.
    assert both(changing) or (name in OTHER_DRAWS and not both(cyclic))


@pytest.mark.parametrize("name", DRAWING)
def test_changing_sampled(name):
    problem = counting([order(4, 0.9).relabelled(each) for each in ORDERS])
    marks = [399, 450, 800, 900, 1500]
    held, stepped = (
        np.array([play(name, problem, marks, k + shift, stepping=bool(shift)).regret.ravel() for k in range(150)])
        for shift in (0, 1000)
    )
    assert agreement(held, stepped) > 1e-4
