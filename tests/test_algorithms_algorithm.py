"""What every algorithm of the catalogue promises, whatever it does."""

import json
from itertools import product

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.engine.checkpoints import checkpoints
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import KINDS, regret_table
from duelbench.sources.tables import TABLES
from tests.comparison import output_of, simulate

NAMES = list(catalogue())
IN_ORDER = {"naive", "pbr", "pcomp", "rankel", "savage", "scb", "scomp", "scomp2", "uniform-exploration", "wrapped"}
"""They take pairs or arms in numerical order by definition, so a horizon in the middle of that favours some."""
SIX = TABLES["six-rankers"].matrix()
ONE_WINNER = np.full((4, 4), 0.5)
ONE_WINNER[2, :], ONE_WINNER[:, 2] = 0.8, 0.2
ONE_PAIR = np.full((4, 4), 0.5)
ONE_PAIR[1, 3], ONE_PAIR[3, 1] = 0.6, 0.4
ODD = {
    "two arms": [[0.5, 0.6], [0.4, 0.5]],
    "two equal arms": [[0.5, 0.5], [0.5, 0.5]],
    "two arms, certain": [[0.5, 0.0], [1.0, 0.5]],
    "three arms in a certain cycle": [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]],
    "certain order": np.triu(np.ones((6, 6)), 1) + np.eye(6) / 2,
    "no difference": np.full((5, 5), 0.5),
    "one winner, the rest tied": np.where(np.eye(4) == 1, 0.5, ONE_WINNER),
    "one pair differs": ONE_PAIR,
    "nearly equal": np.where(np.eye(3) == 1, 0.5, np.where(np.triu(np.ones((3, 3))) > 0, 0.5 + 1e-9, 0.5 - 1e-9)),
    "tennis8": TABLES["tennis8"].matrix().P,
}


def play(name, matrix, marks, seed=0, kinds=("copeland",), **how):
    tables = np.stack([regret_table(matrix, kind) for kind in kinds])
    environment, policy = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    return simulate(catalogue()[name](), matrix.P, tables, np.asarray(marks), environment, policy, **how)


def same(a, b):
    return np.array_equal(a.regret, b.regret) and np.array_equal(a.duels, b.duels)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("matrix", ODD)
def test_odd_matrices(name, matrix):
    P = PreferenceMatrix(ODD[matrix])
    for marks in ([1], [1, 2], [1, 10, 100, 10_000]):
        course = play(name, P, marks, kinds=("copeland", "borda"))
        assert course.duels.sum() == marks[-1]
        assert course.duels.min() >= 0
        assert np.all(np.diff(course.regret, axis=1, prepend=0.0) >= 0)
        most = np.array([[regret_table(P, kind).max()] for kind in ("copeland", "borda")])
        assert np.all(course.regret <= most * marks * (1 + 1e-12))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stepping", [False, True])
def test_every_answer_is_valid_wherever_it_must_end(name, stepping):
    """The round loop refuses any other (test_engine_rollout); here the last round that one may reach is random."""
    marks = np.cumsum(1 + np.random.default_rng(1).exponential(50, 400).astype(np.int64))
    for matrix in (SIX, PreferenceMatrix(ODD["certain order"]), PreferenceMatrix(ODD["two arms"])):
        course = play(name, matrix, marks, kinds=("copeland", "borda"), stepping=stepping)
        assert course.duels.sum() == marks[-1]


@pytest.mark.parametrize("name", NAMES)
def test_seeds_decide(name):
    marks = checkpoints([20_000], 10)
    clear = PreferenceMatrix([[0.5, 0.8, 0.9], [0.2, 0.5, 0.7], [0.1, 0.3, 0.5]])  # the fixed order of some ends soon
    course = play(name, clear, marks, seed=1)
    assert same(course, play(name, clear, marks, seed=1))
    assert not same(course, play(name, clear, marks, seed=2))


@pytest.mark.parametrize("name", [name for name in NAMES if not catalogue()[name].uses_horizon])
@pytest.mark.parametrize("stepping", [False, True])
def test_a_shorter_run_is_the_beginning_of_a_longer_one(name, stepping):
    for matrix in (SIX, TABLES["cyclic4"].matrix(), TABLES["tennis8"].matrix()):
        for seed in range(3):
            short = play(name, matrix, checkpoints([10_000], 20), seed, stepping=stepping)
            long = play(name, matrix, checkpoints([100_000], 20), seed, stepping=stepping)
            assert np.array_equal(short.regret, long.regret[:, : short.regret.shape[1]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("horizon", "part"), [(3_000, 1), (30_000, 5)])
def test_parts_of_the_run_are_one_run(name, horizon, part, monkeypatch):
    """Parts of one answer stay so; those of five grow, by a fifth."""
    marks = checkpoints([horizon], 20)
    whole = play(name, SIX, marks)
    monkeypatch.setattr("duelbench.engine.rollout.COMPILED_PART", part)
    monkeypatch.setattr("duelbench.engine.rollout.FASTER", 1.2)
    reports = []
    assert same(whole, play(name, SIX, marks, progress=reports.append))
    assert sum(reports) == horizon
    assert len(reports) > 5  # tournaments answer for many rounds at once


@pytest.mark.parametrize("name", [name for name in NAMES if name not in IN_ORDER])
def test_relabelling_changes_nothing_but_labels(name):
    runs, marks = 500, [300, 2_000]
    order = [3, 5, 0, 4, 1, 2]
    means = []
    for matrix, first in ((SIX, 0), (SIX.relabelled(order), runs)):
        regret = np.array([play(name, matrix, marks, seed).regret[0] for seed in range(first, first + runs)])
        means.append((regret.mean(axis=0), regret.var(axis=0, ddof=1) / runs))
    (a, var_a), (b, var_b) = means
    assert np.all(np.abs(a - b) <= 4 * np.sqrt(var_a + var_b))


@pytest.mark.parametrize("name", NAMES)
def test_states_take_no_more_than_the_counts(name):
    algorithm = catalogue()[name]()

    def size(state):
        return sum(size(part) if isinstance(part, tuple) else getattr(part, "nbytes", 8) for part in state)

    # CW-RMED's linear program is a table of constraints by pairs; pages that are not written to take no memory.
    assert size(algorithm.start(50, 10**12)) <= (2.5 * 50**4 if name == "cw-rmed" else 16 * 50**2 * 8)
    assert size(algorithm.start(50, 10**12)) == size(algorithm.start(50, 1))


@pytest.mark.parametrize("name", NAMES)
def test_states_share_nothing(name):
    algorithm = catalogue()[name]()

    def arrays(state):
        return [array for part in state for array in (arrays(part) if isinstance(part, tuple) else [part])]

    one, other = algorithm.start(4, 100), algorithm.start(4, 100)
    for a, b in product(arrays(one), arrays(other)):
        assert not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.shares_memory(a, b))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("uniform", "naive", "parwis")])
def test_learners_beat_chance_and_find_the_winner(name):
    P = np.where(np.eye(5) == 1, 0.5, np.where(np.triu(np.ones((5, 5))) > 0, 0.85, 0.15))
    matrix = PreferenceMatrix(P).relabelled([3, 1, 0, 4, 2])
    course = play(name, matrix, [500_000, 1_000_000], kinds=KINDS)
    assert np.all(course.regret[:, 1] - course.regret[:, 0] < 0.25 * course.regret[:, 0])  # 1 would be linear
    assert course.duels[2, 2] > 500_000


INTERPRETED = """
import json, sys
from tests.test_algorithms_algorithm import all_bits
json.dump(all_bits(), sys.stdout)
"""


def all_bits():
    """What every algorithm does on some matrices, and the numbers that it leaves in both streams."""
    bits, marks = {}, np.array([1, 10, 100, 1000, 2000])
    for name, table in product(NAMES, ("six-rankers", "cyclic4", "tennis8")):
        matrix, algorithm = TABLES[table].matrix(), catalogue()[name]()
        environment, policy = np.random.default_rng([4, 0]), np.random.default_rng([4, 1])
        tables = regret_table(matrix, "copeland")[None]
        course = simulate(algorithm, matrix.P, tables, marks, environment, policy)
        left = [environment.random(), policy.random()]
        bits[f"{name} {table}"] = [algorithm.compiled(), course.regret.tolist(), course.duels.tolist(), left]
    return bits


def test_compiled_is_interpreted_bit_for_bit():
    interpreted, compiled = json.loads(output_of(INTERPRETED, interpreted=True)), all_bits()
    assert list(interpreted) == list(compiled)
    assert len(compiled) == 3 * len(NAMES)
    for case in compiled:
        assert compiled[case][0] is True
        assert interpreted[case][0] is False
        assert compiled[case][1:] == interpreted[case][1:], case


# What is said about an algorithm


@pytest.mark.parametrize("name", NAMES)
def test_an_algorithm_describes_itself(name):
    algorithm = catalogue()[name]
    assert algorithm.name == name
    assert name == name.lower()
    assert " " not in name
    summary = algorithm.__doc__.splitlines()[0]
    assert summary.endswith(".")
    assert 20 < len(summary) < 100
    assert algorithm.citation
    assert algorithm.assumes
    assert "T" in algorithm.regret_order or "no bound" in algorithm.regret_order
    for parameter, field in algorithm.model_fields.items():
        assert not field.is_required(), parameter
        assert field.description, parameter
    assert algorithm() == algorithm(**algorithm().model_dump())


@pytest.mark.parametrize("name", NAMES)
def test_numbers_out_of_range_are_refused(name):
    algorithm = catalogue()[name]
    with pytest.raises(ValueError, match="nonsense"):
        algorithm(nonsense=1)
    for parameter, field in algorithm.model_fields.items():
        if field.annotation is float:
            for value in (-1.0, float("nan"), float("inf"), "x"):
                with pytest.raises(ValueError, match=parameter):
                    algorithm(**{parameter: value})
