"""PCOMP, SCOMP, SCOMP2: kernels against their references, and batches played whole or duel by duel."""

from collections import deque

import numpy as np
import pytest

from duelbench.algorithms.divergence.rmed1 import Rmed1
from duelbench.algorithms.elimination.batched import Pcomp, Scomp, Scomp2, batch_sizes
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.play import loop_for
from duelbench.engine.simulate import simulate
from duelbench.literal import pcomp, scomp, scomp2
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.generators import LinearOrder
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, disagreement, kernel_path, kernel_regret, output_of, reference_regret, streams

BATCHED = {"pcomp": (Pcomp, pcomp), "scomp": (Scomp, scomp), "scomp2": (Scomp2, scomp2)}


def strict_order(arms):
    """Every better arm wins nine duels out of ten."""
    return PreferenceMatrix(0.5 + 0.4 * np.sign(np.arange(arms)[None, :] - np.arange(arms)[:, None]))


CYCLE = PreferenceMatrix([[0.5, 0.99, 0.01], [0.01, 0.5, 0.99], [0.99, 0.01, 0.5]])
OTHERS = {
    "K=2": PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]),
    "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
    "a cycle": CYCLE,
    "a strict order of 9": strict_order(9),
    "linear order": LinearOrder(arms=12).draw(np.random.default_rng(0)),
    "sushi16, with ties": TABLES["sushi16"].matrix(),
    "tennis8, with zeros and ones": TABLES["tennis8"].matrix(),
}
PARAMETERS = {
    "default": {},
    "kl": {"elimination": "kl"},
    "kl, few batches": {"elimination": "kl", "batches": 5},
    "delta": {"delta": 0.2, "batches": 9},
    "kl, delta": {"delta": 0.2, "batches": 12, "elimination": "kl"},
    "kl-total": {"elimination": "kl-total"},
    "kl-total, delta": {"delta": 0.1, "batches": 12, "elimination": "kl-total"},
}

SEEDS = {"a cycle": range(16)}
"""Seed sets that are cycles are rare; elsewhere three runs will do."""

batched = pytest.mark.parametrize("name", BATCHED)


def course_of_kernel(algorithm, matrix, horizon, seed):
    """Play with the compiled loop, duel by duel; return the (horizon, 2) path, the declaration and the batches used.

    The "regret" of a pair is its number, so that its differences spell the path.
    """
    arms = matrix.arms
    numbers = np.arange(arms * arms, dtype=float).reshape(1, arms, arms)
    every = np.arange(1, horizon + 1)
    curves = np.empty((1, horizon))
    environment, policy = streams(seed, 0)
    state = algorithm.start(arms, horizon)
    duels = np.zeros((arms, arms), np.int64)
    play = loop_for(type(algorithm))
    play(
        state,
        matrix.P,
        numbers,
        every,
        0,
        horizon,
        1,
        True,
        np.zeros((2, 4), np.int64),
        environment,
        policy,
        duels,
        curves,
    )
    pairs = np.diff(curves[0], prepend=0.0).astype(int)
    return np.stack([pairs // arms, pairs % arms], axis=1), algorithm.declaration(state), algorithm.batches_used(state)


@batched
@pytest.mark.parametrize("matrix", [*MATRICES, *OTHERS])
@pytest.mark.parametrize("parameters", PARAMETERS)
def test_the_path_is_that_of_the_reference(name, matrix, parameters):
    algorithm, reference = BATCHED[name]
    chosen, options = (MATRICES | OTHERS)[matrix], PARAMETERS[parameters]
    for seed in SEEDS.get(matrix, range(3)):
        environment, policy = streams(seed, 0)
        expected = reference.course(chosen.P, 6000, policy, environment, **options)
        path, declared, batches = course_of_kernel(algorithm(**options), chosen, 6000, seed)
        np.testing.assert_array_equal(path, expected.path)
        assert declared == expected.declared
        assert batches == expected.batches_used


@batched
@pytest.mark.parametrize("horizon", [1, 2, 3, 17, 400])
@pytest.mark.parametrize("batches", [1, 2, 40])
def test_short_horizons(name, horizon, batches):
    algorithm, reference = BATCHED[name]
    for matrix in (MATRICES["six-rankers"], OTHERS["K=2"]):
        for seed in range(3):
            environment, policy = streams(seed, 0)
            expected = reference.run(matrix.P, horizon, policy, environment, batches=batches, delta=0.5)
            path = kernel_path(algorithm(batches=batches, delta=0.5), matrix, horizon, seed)
            np.testing.assert_array_equal(path, expected)


@pytest.mark.parametrize("parameters", ["kl, delta", "kl-total, delta"])
def test_these_cases_reach_every_rare_line(parameters):
    seen = {name: set() for name in BATCHED}
    winners = {name: set() for name in BATCHED}
    for name, (_, reference) in BATCHED.items():
        for key, matrix in OTHERS.items():
            for seed in SEEDS.get(key, range(3)):
                environment, policy = streams(seed, 0)
                course = reference.course(matrix.P, 6000, policy, environment, **PARAMETERS[parameters])
                seen[name] |= course.events
                winners[name].add(course.declared is not None)
    assert seen["pcomp"] == {"all lost"}
    assert seen["scomp"] == {"no seeds", "seeds lost", "switch", "all lost"}
    assert seen["scomp2"] >= {"no seeds", "switch"}
    assert all(both == {True, False} for both in winners.values())


@batched
@pytest.mark.parametrize("matrix", MATRICES)
def test_whole_requests_are_distributed_like_single_duels(name, matrix):
    algorithm = BATCHED[name][0](delta=0.05, elimination="kl")
    grid = checkpoints([20_000], 2)
    stepping = kernel_regret(algorithm, MATRICES[matrix], grid, 1000, seed=20, stepping=True)
    whole = kernel_regret(algorithm, MATRICES[matrix], grid, 1000, seed=21)
    assert disagreement(stepping, whole) > 1e-3 / (2 * len(grid))


def with_long_requests(algorithm):
    """Return a mistaken algorithm: its requests are a fifth too long."""

    class LongRequests(type(algorithm)):
        def start(self, arms, horizon):
            state = super().start(arms, horizon)
            return state._replace(sizes=np.ceil(1.2 * state.sizes).astype(np.int64))

    return LongRequests(**algorithm.model_dump())


@batched
def test_requests_that_are_too_long_are_seen(name):
    algorithm = BATCHED[name][0](delta=0.05, elimination="kl")
    grid = checkpoints([20_000], 2)
    right = kernel_regret(algorithm, MATRICES["six-rankers"], grid, 1000, seed=20, stepping=True)
    wrong = kernel_regret(with_long_requests(algorithm), MATRICES["six-rankers"], grid, 1000, seed=21)
    assert disagreement(right, wrong) < 1e-6


@batched
def test_a_request_is_cut_at_checkpoints_and_continued(name):
    """Without chance the course cannot depend on where it is looked at."""
    matrix = PreferenceMatrix(np.triu(np.ones((6, 6)), 1) + 0.5 * np.eye(6))
    tables = regret_table(matrix, "copeland")[None]
    whole, cut, single = (
        simulate(BATCHED[name][0](), matrix.P, tables, np.array(grid), *streams(22, 0), stepping=stepping)
        for grid, stepping in (([50_000], False), ([*range(7, 50_000, 7), 50_000], False), ([50_000], True))
    )
    assert whole.duels[0, 0] > 0
    np.testing.assert_array_equal(whole.duels, cut.duels)
    np.testing.assert_array_equal(whole.duels, single.duels)
    assert whole.regret[0, -1] == cut.regret[0, -1] == single.regret[0, -1]


@batched
@pytest.mark.parametrize("matrix", MATRICES)
def test_regret_is_distributed_like_the_references(name, matrix):
    algorithm, reference = BATCHED[name]
    options = {"delta": 0.3, "elimination": "kl"}
    ours = kernel_regret(algorithm(**options), MATRICES[matrix], [500, 2000], 1000, seed=23)
    theirs = reference_regret(reference, MATRICES[matrix], [500, 2000], 150, seed=23, **options)
    assert disagreement(ours, theirs) > 1e-3 / 4


@batched
def test_a_slightly_different_schedule_is_seen(name):
    algorithm, reference = BATCHED[name]
    matrix, grid = MATRICES["six-rankers"], [30, 100, 300]
    runs = 3000 if name == "scomp2" else 400  # the seed sets make it vary most
    theirs = reference_regret(reference, matrix, grid, runs, seed=24)
    assert disagreement(kernel_regret(algorithm(), matrix, grid, runs, seed=24), theirs) > 1e-3 / 6
    wrong = kernel_regret(with_long_requests(algorithm()), matrix, grid, runs, seed=24)
    assert disagreement(wrong, theirs) < 1e-5


def test_batch_sizes_are_roots_by_integers():
    for horizon, batches in ((1, 3), (1000, 3), (10**5, 16), (10**6, 6), (10**12, 12), (10**12, 1000), (7, 40)):
        for r, c in enumerate(map(int, batch_sizes(horizon, batches)), start=1):
            assert c**batches <= horizon**r < (c + 1) ** batches
    assert list(batch_sizes(1000, 3)) == [10, 100, 1000]


@batched
@pytest.mark.parametrize("matrix", [*MATRICES, *OTHERS])
def test_no_more_batches_than_the_paper_allows(name, matrix):
    limit = {"pcomp": 8, "scomp": 9, "scomp2": 17}[name]
    for seed in range(20):
        for elimination in ("hoeffding", "kl", "kl-total"):
            algorithm = BATCHED[name][0](batches=8, elimination=elimination)
            chosen = (MATRICES | OTHERS)[matrix]
            state = algorithm.start(chosen.arms, 100_000)
            environment, policy = streams(seed, 0)
            assert algorithm.declaration(state) is None
            t = 1
            while t <= 100_000:
                first, second, count = algorithm.select(state, t, 100_000, policy)
                assert 1 <= count <= 100_001 - t
                wins = 0 if first == second else environment.binomial(count, chosen.P[first, second])
                algorithm.update(state, first, second, wins, count)
                t += count
            assert 1 <= algorithm.batches_used(state) <= limit
            declared = algorithm.declaration(state)
            assert declared is None if first != second else declared == (first, t - 1 - count)


@batched
@pytest.mark.parametrize("delay", [1, 50, 2000])
def test_outcomes_may_come_late(name, delay):
    matrix = OTHERS["a strict order of 9"]
    algorithm = BATCHED[name][0](delta=0.1)
    environment, policy = streams(25, 0)
    state = algorithm.start(matrix.arms, 60_000)
    waiting, t, known, heard = deque(), 1, 0, 0
    while t <= 60_000:
        first, second, count = algorithm.select(state, t, min(t + 9, 60_000), policy)
        t += count
        waiting.append((first, second, environment.binomial(count, matrix.P[first, second]), count))
        known += count
        while waiting and known - waiting[0][3] >= delay:
            known -= waiting[0][3]
            heard += waiting[0][3]
            algorithm.update(state, *waiting.popleft())
            assert state.wins.sum() <= heard
            assert state.wins.max() <= state.sizes.max()
    assert algorithm.declaration(state)[0] == 0  # late outcomes cost time, not the winner


def test_an_outcome_of_the_batch_before_is_ignored():
    algorithm = Pcomp(batches=4)
    state = algorithm.start(3, 10_000)  # c_1 = 10: three pairs in the first 30 rounds
    policy = np.random.default_rng(0)
    for t in range(1, 32):
        algorithm.select(state, t, t, policy)
    for _ in range(10):
        algorithm.update(state, 0, 1, 1, 1)
    algorithm.update(state, 0, 2, 10, 10)
    algorithm.update(state, 1, 2, 10, 10)
    assert state.wins.sum() == 0
    algorithm.update(state, 0, 1, 1, 1)
    assert state.wins[0, 1] == 1 == state.wins.sum()


COURSES = """
import numpy as np
from duelbench.algorithms.elimination.batched import Pcomp, Scomp, Scomp2
from duelbench.engine.simulate import simulate
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES, streams

rules = ("hoeffding", "kl", "kl-total")
for algorithm in (kind(elimination=rule, delta=0.2) for kind in (Pcomp, Scomp, Scomp2) for rule in rules):
    for seed, matrix in enumerate(MATRICES.values()):
        tables = regret_table(matrix, "copeland")[None]
        course = simulate(algorithm, matrix.P, tables, np.array([100, 20000]), *streams(seed, 0))
        print(algorithm.compiled(), course.regret.tolist(), course.duels.tolist())
"""


def test_compiled_kernels_equal_interpreted_ones():
    compiled, interpreted = (output_of(COURSES, interpreted=each) for each in (False, True))
    assert "True" in compiled and "False" not in compiled and "True" not in interpreted
    assert compiled.replace("True", "False") == interpreted


@batched
@pytest.mark.parametrize(("delta", "given"), [("experiments", 1 / (5000 * 6**2)), ("1/K^2", 1 / 6**2)])
def test_delta_of_the_experiments(name, delta, given):
    kind = BATCHED[name][0]
    assert kind(delta=delta).start(6, 5000).log_inverse_delta == pytest.approx(-np.log(given))
    states = [kind(delta=each).start(6, 5000) for each in (delta, given)]
    assert [state.delta_given for state in states] == [True, True]


def test_scomp2_leaves_poor_seeds_in_time_only_if_the_switch_obeys_the_divergence_too():
    """One arm beats all others, which are alike: it is hardly ever a seed, and SCOMP2 has to find it."""
    P = np.full((30, 30), 0.5)
    P[12, :], P[:, 12], P[12, 12] = 0.75, 0.25, 0.5
    matrix = PreferenceMatrix(P)
    kl, total, rmed1 = (
        kernel_regret(algorithm, matrix, [30_000], 100, 26, regret_table(matrix, "condorcet")[None]).mean()
        for algorithm in (*(Scomp2(elimination=rule, delta="1/K^2") for rule in ("kl", "kl-total")), Rmed1())
    )
    assert total < 4 * rmed1 < 10 * rmed1 < kl
