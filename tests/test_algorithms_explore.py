"""IF, SAVAGE, PBR and RankEl: they explore, declare a winner, and play it to the end."""

import hashlib
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.catalogue import catalogue
from duelbench.algorithms.elimination.btm import Btm
from duelbench.engine.play import loop_for
from duelbench.engine.simulate import simulate
from duelbench.literal import interleaved_filter, pbr, rankel, savage, uniform_exploration, wrapped
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, kernel_regret, output_of, reference_regret, streams

NAIVE = SimpleNamespace(run=partial(wrapped.run, over="pairs"))
CASES = {
    "if": ("if", interleaved_filter, {}, 30_000),
    "pbr": ("pbr", pbr, {}, 20_000),
    "rankel": ("rankel", rankel, {}, 10_000),
    "uniform": ("uniform-exploration", uniform_exploration, {}, 10_000),
    "wrapped": ("wrapped", wrapped, {"delta": 0.5}, 4000),
    "wrapped, ucb": ("wrapped", wrapped, {"delta": 0.5, "rule": "ucb"}, 700),
    "naive": ("naive", NAIVE, {"delta": 0.5}, 4000),
    "naive, ucb": ("naive", NAIVE, {"delta": 0.5, "rule": "ucb"}, 300),
    "condorcet": ("savage", savage, {"variant": "condorcet"}, 3000),
    "condorcet, epsilon": ("savage", savage, {"variant": "condorcet", "delta": 0.5, "epsilon": 0.2}, 2000),
    "copeland": ("savage", savage, {}, 3000),
    "copeland, epsilon": ("savage", savage, {"delta": 0.5, "epsilon": 0.34}, 2000),
    "borda": ("savage", savage, {"variant": "borda", "delta": 0.9}, 2000),
    "borda, epsilon": ("savage", savage, {"variant": "borda", "delta": 0.5, "epsilon": 0.2}, 2000),
}
"""Label: the algorithm's name, its reference, parameters, and a horizon that the reference can afford."""


def from_upper_triangle(*rows):
    P = np.full((len(rows) + 1, len(rows) + 1), 0.5)
    for i, row in enumerate(rows):
        P[i, i + 1 :] = row
        P[i + 1 :, i] = 1 - np.array(row)
    return PreferenceMatrix(P)


ORDER = from_upper_triangle([0.9, 0.9, 0.95, 0.95], [0.9, 0.9, 0.95], [0.85, 0.9], [0.9])
DECISIVE = {
    "two arms": from_upper_triangle([0.9]),
    "certain cycle": from_upper_triangle([1.0, 0.0], [1.0]),
    "three winners": from_upper_triangle([0.9, 0.1, 0.85], [0.9, 0.85], [0.85]),
    "order": ORDER,
}
"""Matrices whose pairs are decided within a few hundred duels."""
SUREST_IS_TIED = {"naive", "naive, ucb"}
"""Where two pairs are the surest wins these go on for ever."""


def decided_soon(label):
    return DECISIVE["two arms"] if label in SUREST_IS_TIED else ORDER


OTHERS = {"tennis8": TABLES["tennis8"].matrix(), "sushi16": TABLES["sushi16"].matrix()}


def make(label):
    name, _, parameters, _ = CASES[label]
    return catalogue()[name](**parameters)


def path(algorithm, matrix, horizon, seed):
    """The arms of each round, from our engine: a regret of i K + j for (i, j) tells them apart."""
    K = matrix.arms
    codes = np.arange(K * K, dtype=float).reshape(1, K, K)
    course = simulate(algorithm, matrix.P, codes, np.arange(1, horizon + 1), *streams(seed, 0))
    pairs = np.diff(course.regret[0], prepend=0.0).astype(int)
    return np.stack([pairs // K, pairs % K], axis=1)


def reference_path(label, matrix, horizon, seed):
    _, module, parameters, _ = CASES[label]
    environment, policy = streams(seed, 0)
    return module.run(matrix.P, horizon, policy, environment, **parameters)


def good_enough(label, matrix):
    """The arms that a run may declare."""
    name, _, parameters, _ = CASES[label]
    epsilon = parameters.get("epsilon", 0.0) + 1e-9
    if name == "naive":
        scores = matrix.P.max(axis=1)
    elif name == "wrapped" or parameters.get("variant") == "borda":
        scores = matrix.borda_scores()
    elif name != "if" and parameters.get("variant") != "condorcet":
        scores = matrix.copeland_scores()
    elif matrix.condorcet_winner() is not None:
        scores = matrix.P[:, matrix.condorcet_winner()]
    else:
        scores = np.zeros(matrix.arms)  # without the winner that they assume, any arm may come out
    return set(np.flatnonzero(scores >= scores.max() - epsilon).tolist())


def run(algorithm, matrix, horizon, seed):
    """Play a whole run in one block; return its (K, K) counts of duels and the final state."""
    state = algorithm.start(matrix.arms, horizon)
    duels = np.zeros((matrix.arms, matrix.arms), np.int64)
    tables = regret_table(matrix, "copeland")[None]
    end, curves = np.array([horizon]), np.zeros((1, 1))
    loop_for(type(algorithm))(
        state, matrix.P, tables, end, 0, 1, 1, False, np.zeros((2, 4), np.int64), *streams(seed, 0), duels, curves
    )
    return duels, state


# Kernels and references


@pytest.mark.parametrize("label", CASES)
@pytest.mark.parametrize("matrix", [*MATRICES, *OTHERS])
def test_paths_equal_the_reference(label, matrix):
    horizon = CASES[label][3]
    matrix = {**MATRICES, **OTHERS}[matrix]
    assert np.array_equal(path(make(label), matrix, horizon, 0), reference_path(label, matrix, horizon, 0))


@pytest.mark.parametrize("label", CASES)
@pytest.mark.parametrize("name", DECISIVE)
def test_paths_equal_the_reference_to_the_winner(label, name):
    matrix, horizon = DECISIVE[name], 3000
    winners = set()
    for seed in range(4):
        ours = path(make(label), matrix, horizon, seed)
        assert np.array_equal(ours, reference_path(label, matrix, horizon, seed))
        if ours[-1, 0] == ours[-1, 1]:
            winners.add(int(ours[-1, 0]))
    assert winners <= good_enough(label, matrix)
    undecided = {  # ties for ever, and what takes longer than this
        "borda": {"certain cycle", "three winners"},
        "wrapped": {"certain cycle", "three winners"},
        "wrapped, ucb": {"certain cycle", "three winners", "order"},
        "naive": {"certain cycle", "three winners", "order"},
        "naive, ucb": {"certain cycle", "three winners", "order"},
    }
    assert bool(winners) != (name in undecided.get(label, set()))


def test_tied_winners_are_drawn_at_random():
    for label in ("pbr", "rankel", "copeland"):
        winners = [int(path(make(label), DECISIVE["three winners"], 3000, seed)[-1, 0]) for seed in range(40)]
        assert set(winners) == {0, 1, 2}


class Turn:
    """An environment without chance, on a matrix that turns into its opposite after so many duels."""

    def __init__(self, P, duels):
        self.P, self.duels = P, duels

    def random(self):
        if self.duels == 0:
            self.P[:] = 1 - self.P
        self.duels -= 1
        return 0.5


@pytest.mark.parametrize("parameters", [{"variant": "borda", "delta": 0.9}, {"variant": "copeland"}])
def test_savage_survives_intervals_that_turn_out_wrong(parameters):
    horizon = 900
    environment = Turn(DECISIVE["certain cycle"].P.copy(), 108)
    theirs = savage.run(environment.P, horizon, np.random.default_rng(0), environment, **parameters)
    environment = Turn(DECISIVE["certain cycle"].P.copy(), 108)
    algorithm, policy = catalogue()["savage"](**parameters), np.random.default_rng(0)
    state = algorithm.start(3, horizon)
    for t in range(1, horizon + 1):
        first, second, _ = algorithm.select(state, t, t, policy)
        assert (first, second) == tuple(theirs[t - 1])
        if first != second:
            algorithm.update(state, first, second, int(environment.random() < environment.P[first, second]), 1)
    assert np.all(state.low <= state.high)
    collapsed = np.any(state.low == state.high)
    assert collapsed == (parameters["variant"] == "borda")  # Copeland stops sampling a pair before that


# Holding, stepping, declaring


@pytest.mark.parametrize("label", CASES)
def test_stepping_equals_holding(label):
    committed = 0
    for matrix in (*MATRICES.values(), *DECISIVE.values()):
        tables = np.stack([regret_table(matrix, kind) for kind in ("copeland", "borda")])
        checkpoints = np.unique(np.geomspace(1, 30_000, 40).astype(int))
        held, stepped = (
            simulate(make(label), matrix.P, tables, checkpoints, *streams(7, 0), stepping=stepping)
            for stepping in (False, True)
        )
        assert np.array_equal(held.regret, stepped.regret)
        assert np.array_equal(held.duels, stepped.duels)
        committed += held.informative < 30_000
    assert committed >= (1 if label in SUREST_IS_TIED else 3)


@pytest.mark.parametrize("label", CASES)
def test_declaration_is_the_arm_played_from_then_on(label):
    matrix = decided_soon(label)
    duels, state = run(make(label), matrix, 20_000, seed=3)
    informative = int(duels.sum() - np.trace(duels))
    winner, explored = make(label).declaration(state)
    assert explored == informative
    assert winner in good_enough(label, matrix)
    assert duels[winner, winner] == 20_000 - informative > 10_000


@pytest.mark.parametrize("label", CASES)
def test_nothing_is_declared_while_pairs_are_open(label):
    algorithm = make(label)
    assert algorithm.declaration(algorithm.start(4, 100)) is None
    if "epsilon" not in algorithm.model_fields_set:  # an ε above every gap would be content with anything
        flat = PreferenceMatrix(np.full((4, 4), 0.5))
        duels, state = run(algorithm, flat, 3000, seed=1)
        assert algorithm.declaration(state) is None
        assert np.trace(duels) == 0


@pytest.mark.parametrize("label", CASES)
@pytest.mark.parametrize("matrix", [*DECISIVE.values()], ids=DECISIVE)
def test_short_horizons(label, matrix):
    for horizon in (1, 2, 3, 7, 50):
        assert run(make(label), matrix, horizon, seed=0)[0].sum() == horizon


@pytest.mark.parametrize("label", CASES)
def test_results_may_come_late(label):
    """Outcomes that arrive 30 rounds after their duels change no rule: the best arm is still declared."""
    algorithm, matrix, horizon = make(label), decided_soon(label), 6000
    environment, policy = streams(5, 0)
    state = algorithm.start(matrix.arms, horizon)
    waiting = []
    for t in range(1, horizon + 1):
        first, second, count = algorithm.select(state, t, t, policy)
        assert count == 1 and 0 <= first < matrix.arms and 0 <= second < matrix.arms
        waiting.append((first, second, int(first != second and environment.random() < matrix.P[first, second])))
        if len(waiting) > 30:
            algorithm.update(state, *waiting.pop(0), 1)
    assert first == second == algorithm.declaration(state)[0]
    assert first in good_enough(label, matrix)


def test_the_last_condorcet_candidate_stays_whatever_comes_late():
    algorithm = catalogue()["savage"](variant="condorcet", delta=0.5)
    state = algorithm.start(3, 1000)
    for first, second in ((0, 1), (1, 2), (0, 2)):
        algorithm.update(state, first, second, 0 if (first, second) == (0, 2) else 400, 400)  # a cycle, all at once
    assert state.candidate.tolist() == [True, False, False]
    assert algorithm.select(state, 401, 1000, np.random.default_rng(0)) == (0, 0, 600)
    assert algorithm.declaration(state) == (0, 400)


# Winners


@pytest.mark.parametrize("label", ["if", "pbr", "rankel", "condorcet", "copeland", "borda"])
@pytest.mark.parametrize("matrix", ["six-rankers", "mslr5-condorcet", "cyclic4"])
def test_the_best_arm_is_declared(label, matrix):
    """δ = 1/T is strict: no run of a few may miss the Condorcet winner, which has the best Borda score here."""
    name, _, parameters, _ = CASES[label]
    algorithm = catalogue()[name](**{key: value for key, value in parameters.items() if key != "delta"})
    for seed in range(5):
        winner, duels = algorithm.declaration(run(algorithm, MATRICES[matrix], 10**7, seed)[1])
        assert winner == 0
        assert duels < 2_000_000


@pytest.mark.parametrize("rule", ["elimination", "ucb"])
def test_wrapped_bandits_find_the_borda_winner_and_naive_ones_the_surest_win(rule):
    matrix = from_upper_triangle([0.6, 0.6, 0.6], [0.9, 0.9], [1.0])
    assert (matrix.condorcet_winner(), int(np.argmax(matrix.borda_scores()))) == (0, 1)
    for name, best in (("wrapped", 1), ("naive", 2)):
        algorithm = catalogue()[name](rule=rule)
        assert algorithm.declaration(run(algorithm, matrix, 10**6, seed=0)[1])[0] == best


def test_savage_variants_look_for_different_winners():
    matrix = from_upper_triangle([0.6, 0.6, 0.6], [1.0, 1.0], [0.7])
    assert (matrix.condorcet_winner(), int(np.argmax(matrix.borda_scores()))) == (0, 1)
    for variant, best in (("condorcet", 0), ("copeland", 0), ("borda", 1)):
        algorithm = catalogue()["savage"](variant=variant)
        assert algorithm.declaration(run(algorithm, matrix, 10**6, seed=0)[1])[0] == best


def test_savage_stops_when_the_winner_no_longer_depends_on_an_open_pair():
    """Arm 0 beats all but arm 4; the others beat two arms, so that the tie of 0 and 4 does not matter."""
    matrix = from_upper_triangle([0.9, 0.9, 0.9, 0.5], [0.9, 0.1, 0.9], [0.9, 0.9], [0.1])
    algorithm = catalogue()["savage"]()
    duels, state = run(algorithm, matrix, 10**6, seed=0)
    winner, explored = algorithm.declaration(state)
    assert winner == 0
    assert explored < 10_000
    assert 0 < duels[0, 4] < 1000


@pytest.mark.parametrize("variant", ["condorcet", "copeland", "borda"])
def test_epsilon_ends_exploration_sooner_at_an_arm_that_is_good_enough(variant):
    matrix = from_upper_triangle([0.52, 0.9, 0.9], [0.9, 0.9], [0.8])
    exact, rough = (catalogue()["savage"](variant=variant, epsilon=epsilon) for epsilon in (0.0, 0.35))
    winner, duels = rough.declaration(run(rough, matrix, 10**7, seed=0)[1])
    assert winner in (0, 1)
    assert duels < exact.declaration(run(exact, matrix, 10**7, seed=0)[1])[1] / 10


def test_if_drops_what_its_loser_beat():
    """On certain outcomes: the incumbent needs n duels to be beaten, n² > 16 n log(T K²), then all it beat go too."""
    matrix = from_upper_triangle([1.0, 1.0, 1.0], [1.0, 1.0], [1.0])
    horizon = 5000
    n = math.floor(16 * math.log(horizon * 16)) + 1
    seen = set()
    for seed in range(12):
        arms = path(make("if"), matrix, horizon, seed)
        incumbent = int(arms[0, 0])
        # Arm 0 beats all; any other falls to the lowest of those above it, arm 0, with nobody left from below.
        seen.add(incumbent)
        assert np.count_nonzero(arms[:, 0] != arms[:, 1]) == n * (3 + max(0, incumbent - 1))
    assert seen == {0, 1, 2, 3}


def test_if_keeps_an_arm_that_its_loser_did_not_beat():
    algorithm = catalogue()["if"]()
    for wins, kept in ((201, False), (200, True), (199, True)):
        state = algorithm.start(3, 1000)
        policy = np.random.default_rng(0)
        incumbent, one, _ = algorithm.select(state, 1, 1, policy)
        _, other, _ = algorithm.select(state, 2, 2, policy)
        algorithm.update(state, incumbent, one, 0, 400)
        algorithm.update(state, incumbent, other, wins, 400)
        first, second, count = algorithm.select(state, 801, 1000, policy)
        assert (first, second, count) == ((one, other, 1) if kept else (one, one, 200))


# In distribution


def agreement(label, matrix, runs, horizon):
    """The smallest Kolmogorov–Smirnov p-value at two checkpoints; before the first commitment regret may not vary."""
    _, module, parameters, _ = CASES[label]
    checkpoints = [horizon // 2, horizon]
    theirs = reference_regret(module, matrix, checkpoints, runs, 11, **parameters)
    ours = kernel_regret(make(label), matrix, checkpoints, 10 * runs, 11)
    columns = zip(ours.round(6).T, theirs.round(6).T, strict=True)
    return min(stats.ks_2samp(x, y, method="asymp").pvalue for x, y in columns)


SAMPLES = {"if": 2000, "pbr": 2000, "rankel": 2000, "condorcet": 1000, "copeland": 800, "borda, epsilon": 500}


@pytest.mark.parametrize("label", SAMPLES)
@pytest.mark.parametrize("matrix", [*MATRICES, "order"])
def test_regret_is_distributed_as_the_reference(label, matrix):
    assert agreement(label, {**MATRICES, **DECISIVE}[matrix], 25, SAMPLES[label]) > 1e-4


@pytest.mark.parametrize("label", SAMPLES)
def test_a_radius_a_fifth_too_wide_would_be_noticed(label, monkeypatch):
    module = CASES[label][1]
    name = "radius" if hasattr(module, "radius") else "confidence_radius"
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *arguments: 1.2 * right(*arguments))
    assert agreement(label, ORDER, 80 if label == "if" else 25, SAMPLES[label]) < 1e-4


# Compiled and interpreted


DIGESTS = """
from tests.test_algorithms_explore import CASES, DECISIVE, digest
for label in CASES:
    print(digest(label))
"""


def digest(label):
    text = hashlib.sha256()
    for matrix in (MATRICES["random10"], *DECISIVE.values()):
        tables = regret_table(matrix, "copeland")[None]
        course = simulate(make(label), matrix.P, tables, np.array([10, 500, 1500]), *streams(2, 0))
        text.update(course.regret.tobytes() + course.duels.tobytes())
    return text.hexdigest()


def test_interpreted_kernels_give_the_same_bits():
    assert output_of(DIGESTS, interpreted=True).split() == [digest(label) for label in CASES]


def test_btm_declares_the_arm_that_is_left():
    matrix = TABLES["arithmetic8"].matrix()
    environment, policy = streams(3, 0)
    course = simulate(
        Btm(gamma=1.0, confidence_scale=1.0),
        matrix.P,
        regret_table(matrix, "copeland")[None],
        np.array([1_000_000]),
        environment,
        policy,
    )
    assert course.declaration is not None
    winner, rounds = course.declaration
    assert winner == 0
    assert course.duels[0, 0] >= 1_000_000 - rounds
    assert 1_000 < rounds < 1_000_000
