"""Holds in which nothing is drawn: the very path of stepping, and not that of holds a bit longer.

Holds that draw are in test_holds_random.py. How it is asserted: conformance/holds.py.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.holds import Course, course, holds_as_it_steps, holds_round_by_round, same
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import streams
from duelbench.engine.checkpoints import checkpoints
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import UniformRandom
from duelbench.sources.tables import TABLES
from tests import exploring
from tests.comparison import MATRICES
from tests.paths import INSTANCES, counts_of_answers

ALL = (
    INSTANCES
    | {f"{name}, decided soon": matrix for name, matrix in exploring.DECISIVE.items()}
    | {"arithmetic8": TABLES["arithmetic8"].matrix()}
    | {f"random{K}": UniformRandom(arms=K, seed=K).draw(np.random.default_rng(K)) for K in (7, 16)}
    | {
        "order of 4": order(4, 0.8),
        "certain order of 6": PreferenceMatrix(np.triu(np.ones((6, 6)), 1) + 0.5 * np.eye(6)),
    }
)
SMALL = (
    *("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "tennis8", "two arms"),
    *("one winner, the rest tied", "no difference", "certain", "certain order"),
)
USUAL = (*SMALL, "two arms, close", "arithmetic8", "hudry13", "sushi16")
DECLARING = (*MATRICES, *(name for name in ALL if name.endswith("decided soon")))
FEW = {label for label in exploring.CASES if exploring.is_bandit(label)} | {"active ranking"}
"""They declare a winner on few of these matrices within the horizon."""
PUBLISHED = ("mslr5-non-condorcet", "arithmetic8", "tennis8", "sushi16", "hudry13")


class Case(NamedTuple):
    """An algorithm, where it is played, and how often.

    ``long`` are matrices on which it plays a million rounds; ``committed`` is the least number of runs in which
    arms must duel themselves, so that there is a hold to speak of. ``draws``: see ``holds_as_it_steps``.
    """

    name: str
    parameters: dict
    matrices: tuple[str, ...]
    horizon: int
    seeds: int = 1
    long: tuple[str, ...] = ()
    delay: int = 1
    committed: int = 3
    draws: bool = True

    def make(self):
        return catalogue()[self.name](**self.parameters)

    def marks(self, matrix):
        return checkpoints([1_000_000 if matrix in self.long else self.horizon], 10)


CLEAR = ("cyclic4", "certain order", "two arms")
CASES = (
    {
        "rucb": Case("rucb", {}, USUAL, 300_000, 2, CLEAR),
        "rucb, eager": Case("rucb", {"alpha": 0.05}, SMALL, 100_000, 2, CLEAR),
        "rucb, cautious": Case("rucb", {"alpha": 1.0}, SMALL, 100_000, 2, CLEAR),
        "rmed1": Case("rmed1", {}, USUAL, 300_000, 2, CLEAR),
        "rmed1, small f": Case("rmed1", {"f_scale": 0.05, "f_power": 0.5}, SMALL, 100_000, 2, CLEAR),
        "rmed1, no f": Case("rmed1", {"f_scale": 0.0}, SMALL, 100_000, 2, CLEAR),
        "rmed2": Case("rmed2", {}, (*USUAL, "random10"), 300_000, 2),
        # These ask for another duel of every pair eight or ten times on the way.
        "rmed2, alpha 20": Case("rmed2", {"alpha": 20.0}, (*USUAL, "random10"), 100_000),
        "rmed2fh": Case("rmed2fh", {}, (*USUAL, "random10"), 300_000, 2),
        "rmed2fh, alpha 20": Case("rmed2fh", {"alpha": 20.0}, (*USUAL, "random10"), 100_000),
        "ecw-rmed": Case("ecw-rmed", {}, (*USUAL, "random10", "random7"), 300_000, 2),
        "ecw-rmed, alpha 10": Case("ecw-rmed", {"alpha": 10.0}, (*USUAL, "random10", "random7"), 200_000),
        "cw-rmed": Case("cw-rmed", {}, (*SMALL, "two arms, close", "random10", "hudry13", "random16"), 300_000),
        # It answers by draws where several arms win.
        "ccb": Case("ccb", {}, ("six-rankers", "mslr5-condorcet", "cyclic4", "random10", "two arms"), 200_000, 3),
        "merge-rucb": Case("merge-rucb", {}, (*MATRICES, "sushi16", "certain order", "two arms"), 100_000, 2),
        "merge-rucb, eager": Case("merge-rucb", {"alpha": 0.3, "C": 2.0}, SMALL, 20_000, 2),
        "merge-dts": Case("merge-dts", {}, (*MATRICES, "sushi16", "certain order", "two arms"), 50_000, 2),
        "merge-dts, small batches": Case("merge-dts", {"batch": 4, "C": 2.0}, (*SMALL, "sushi16"), 10_000, 2),
        "round-robin": Case("uniform", {"variant": "round-robin"}, SMALL, 40_000, committed=0, draws=False),
    }
    | {
        name: Case(name, {}, ("six-rankers",), 5000, committed=0)
        for name in ("doubler", "multisbm", "sparring", "self-sparring")
    }
    | {  # REX3 draws how long it holds once, wherever it is looked at.
        "rex3": Case("rex3", {}, SMALL, 30_000, 2),
        "rex3, adaptive": Case("rex3", {"adaptive": True}, SMALL, 30_000, 2),
        "sparring-exp3": Case("sparring-exp3", {}, ("six-rankers",), 5000, committed=0),
        "sparring-exp3s": Case("sparring-exp3s", {}, ("six-rankers",), 5000, committed=0),
    }
    | {name: Case(name, {}, ("cyclic4",), 3000, committed=0) for name in ("versatile-db", "dexp3", "dexp3-hp")}
    | {
        label: Case(name, parameters, DECLARING, 30_000, committed=1 if label in FEW else 3)
        for label, (name, parameters, _) in exploring.CASES.items()
        if name != "btm"
    }
    | {  # δ = 1/T
        f"{name}, published": Case(name, {}, PUBLISHED, 300_000, 3, committed=1)
        for name in ("if", "savage", "pbr", "rankel")
    }
    # BTM asks for blocks, but not where outcomes come late; batches are like single duels where there is no chance.
    | {f"btm, delay {n}": Case("btm", {}, ("order of 4",), 20_000, delay=n, committed=0) for n in (2, 50)}
    | {
        name: Case(name, {}, ("certain order of 6",), 50_000, 3, committed=1, draws=False)
        for name in ("pcomp", "scomp", "scomp2")
    }
    | {
        label: Case(name, parameters, ("certain order of 6",), 50_000, 3, committed=1, draws=False)
        for label, (name, parameters, _) in exploring.MATCHES.items()
    }
)


@pytest.mark.parametrize(("label", "matrix"), [(label, name) for label in CASES for name in CASES[label].matrices])
def test_holding_is_stepping(label, matrix):
    case = CASES[label]
    for seed in range(4, 4 + case.seeds):
        algorithm, marks = case.make(), case.marks(matrix)
        assert holds_as_it_steps(algorithm, ALL[matrix], marks, seed, case.draws, delay=case.delay), seed


@pytest.mark.parametrize("label", [label for label in CASES if CASES[label].committed])
def test_these_cases_hold(label):
    case, held = CASES[label], 0
    for name in case.matrices:
        arms, marks = ALL[name].arms, case.marks(name)
        for seed in range(4, 4 + case.seeds):
            duels = course(case.make(), ALL[name], marks, seed).duels[:, -1].reshape(arms, arms)
            held += np.trace(duels) > 0
    assert held >= case.committed


BY_ROUND = {
    "rucb": ({}, {"alpha": 0.05}),
    "rmed1": ({}, {"f_scale": 0.0}),
    "rmed2": ({}, {"alpha": 20.0}),
    "rmed2fh": ({},),
    "ecw-rmed": ({}, {"alpha": 10.0}),
    "ccb": ({}, {"alpha": 0.2}),
    "cw-rmed": ({},),
}
"""Those whose holds end by themselves: checkpoints further on need not see a hold that ends a round too late."""


def slow_cw(names):
    """CW-RMED holds by ECW-RMED's kernels and takes longest: its cases are with the slow ones."""
    return [pytest.param(name, marks=pytest.mark.slow if name == "cw-rmed" else ()) for name in names]


@pytest.mark.parametrize("matrix", ["six-rankers", "cyclic4", "certain order", "two arms"])
@pytest.mark.parametrize("name", slow_cw(BY_ROUND))
def test_holds_end_in_their_round(name, matrix):
    for parameters in BY_ROUND[name]:
        assert holds_round_by_round(catalogue()[name](**parameters), ALL[matrix], 30_000, 4)


@pytest.mark.parametrize("label", ["rucb", "rucb, eager", "rmed1", "rmed1, no f", "pcomp", "scomp", "scomp2", "rex3"])
def test_where_the_checkpoints_lie_changes_nothing(label):
    case = CASES[label]
    matrix, horizon = (ALL["cyclic4"], 10**6) if "cyclic4" in case.matrices else (ALL[case.matrices[0]], 50_000)
    few, many = (course(case.make(), matrix, marks, 3) for marks in ([horizon], [*range(7, horizon, 1501), horizon]))
    assert same(few._replace(duels=few.duels[:, -1]), many._replace(duels=many.duels[:, -1]), case.draws)


@pytest.mark.parametrize("name", ["rucb", "rmed1"])
def test_holds_are_long(name):
    counts = counts_of_answers(catalogue()[name](), ALL["certain order"], 10**6, 1)
    assert len(counts) < 1000
    assert max(counts) > 10_000


# On any matrix.

CONFIDENT = ("rucb", "rmed1", "rmed2", "rmed2fh", "ecw-rmed", "cw-rmed")
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


MARKS = checkpoints([100_000], 7)


@pytest.mark.parametrize("name", [*CONFIDENT, *COMMITTING])
@settings(max_examples=25, derandomize=True, deadline=None)
@given(matrix=matrices(), seed=st.integers(0, 2**32))
def test_holding_is_stepping_on_any_matrix(name, matrix, seed):
    assert holds_as_it_steps(catalogue()[name](), matrix, MARKS, seed)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(matrix=matrices(with_condorcet_winner=True), seed=st.integers(0, 2**32))
def test_ccb_s_holding_is_stepping_where_one_arm_wins(matrix, seed):
    assert holds_as_it_steps(catalogue()["ccb"](), matrix, MARKS, seed)


# Holds a bit too long.


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
    return Course(duels.reshape(len(marks), -1).T, algorithm.declaration(state), environment.random(), policy.random())


@pytest.mark.parametrize("name", slow_cw([*CONFIDENT, "ccb"]))
def test_holds_that_last_too_long_leave_the_path(name):
    """One round beyond the threshold, or a fifth of the hold: the yardstick of ``test_holding_is_stepping`` sees it."""
    algorithm = catalogue()[name]()
    marks = checkpoints([30_000], 2)
    seen = {"right": 0, "a round": 0, "a fifth": 0}
    for matrix in (MATRICES["six-rankers"], MATRICES["cyclic4"], from_gaps(4, 0.4)):
        for seed in range(2):
            path = course(algorithm, matrix, marks, seed)
            for mistake, stretch in (("right", lambda _: 0), ("a round", lambda _: 1), ("a fifth", lambda n: n // 5)):
                other = played(Stretched(algorithm, stretch), algorithm, matrix, marks, seed)
                seen[mistake] += not same(path, other)
    assert seen["right"] == 0
    assert seen["a round"] > 2
    assert seen["a fifth"] > 2
