"""What every algorithm of the catalogue promises, whatever it does."""

import json
from functools import partial
from itertools import product

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.compiled import MATRICES, bits
from duelbench.conformance.contract import begins_alike, observed, plays_validly, repeats_itself, same
from duelbench.conformance.instances import ODD, USUAL
from duelbench.conformance.statistics import demand_equal_means
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.rollout import Streams
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import KINDS
from duelbench.sources.tables import TABLES
from tests.comparison import output_of

NAMES = list(catalogue())
SIX = TABLES["six-rankers"].matrix()


def luck(seed):
    return Streams(np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1]))


def play(name, matrix, marks, seed=0, kinds=("copeland",), **how):
    return observed(catalogue()[name](), matrix, np.asarray(marks), luck(seed), kinds, **how)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("matrix", ODD)
def test_odd_matrices(name, matrix):
    for marks in ([1], [1, 2], [1, 10, 100, 10_000]):
        plays_validly(catalogue()[name](), ODD[matrix], marks, luck(0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stepping", [False, True])
def test_every_answer_is_valid_wherever_it_must_end(name, stepping):
    """The round loop refuses any other (test_engine_rollout); here the last round that one may reach is random."""
    marks = np.cumsum(1 + np.random.default_rng(1).exponential(50, 400).astype(np.int64))
    for matrix in (SIX, ODD["certain order"], ODD["two arms"]):
        plays_validly(catalogue()[name](), matrix, marks, luck(0), stepping=stepping)


@pytest.mark.parametrize("name", NAMES)
def test_seeds_decide(name):
    marks = checkpoints([20_000], 10)
    clear = PreferenceMatrix([[0.5, 0.8, 0.9], [0.2, 0.5, 0.7], [0.1, 0.3, 0.5]])  # the fixed order of some ends soon
    repeats_itself(catalogue()[name](), clear, marks, partial(luck, 1), SIX)
    assert not same(play(name, clear, marks, seed=1), play(name, clear, marks, seed=2))


@pytest.mark.parametrize("name", [name for name in NAMES if not catalogue()[name].uses_horizon])
@pytest.mark.parametrize("stepping", [False, True])
def test_a_shorter_run_is_the_beginning_of_a_longer_one(name, stepping):
    for matrix in (SIX, TABLES["cyclic4"].matrix(), TABLES["tennis8"].matrix()):
        for seed in range(3):
            begins_alike(catalogue()[name](), matrix, (10_000, 100_000), partial(luck, seed), stepping=stepping)


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


@pytest.mark.parametrize("name", [name for name in NAMES if not catalogue()[name].in_order])
def test_relabelling_changes_nothing_but_labels(name):
    runs, marks = 500, [300, 2_000]
    one, other = (
        np.array([play(name, matrix, marks, seed).regret[0] for seed in range(first, first + runs)])
        for matrix, first in ((SIX, 0), (SIX.relabelled([3, 5, 0, 4, 1, 2]), runs))
    )
    demand_equal_means(one, other, 4.0, ["the regret at t = 300", "at t = 2,000"], ("as it is", "relabelled"))


# CW-RMED's linear program is a table of constraints by pairs; pages that are not written to take no memory. ANACONDA
# keeps up to 64 rounds of each ordered pair, MDB a window of some thousand outcomes of each pair.
LARGE = {"cw-rmed": 2.5 * 50**4, "anaconda": 150 * 50**2 * 8, "mdb": 50**2 / 2 * 3500 + 32 * 50**2 * 8}


@pytest.mark.parametrize("name", NAMES)
def test_states_take_no_more_than_the_counts(name):
    algorithm = catalogue()[name]()

    def size(state):
        return sum(size(part) if isinstance(part, tuple) else getattr(part, "nbytes", 8) for part in state)

    assert size(algorithm.start(50, 10**12)) <= (LARGE[name] if name in LARGE else 16 * 50**2 * 8)
    if name not in ("mdb", "detect"):  # their windows grow with log T, if there are as many outcomes
        assert size(algorithm.start(50, 10**12)) == size(algorithm.start(50, 1))


@pytest.mark.parametrize("name", NAMES)
def test_states_share_nothing(name):
    algorithm = catalogue()[name]()

    def arrays(state):
        return [array for part in state for array in (arrays(part) if isinstance(part, tuple) else [part])]

    one, other = algorithm.start(4, 100), algorithm.start(4, 100)
    for a, b in product(arrays(one), arrays(other)):
        assert not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.shares_memory(a, b))


CHANGES = ("sparring-exp3s", "anaconda", "mdb", "detect")
OTHERWISE = ("uniform", "naive", "parwis", *CHANGES, "ws-w", "btw", "btwr", "mbtw")
"""Who does not learn, whose arm 0 is no winner, who explores for ever as the winner may change, or who never duels an
arm with itself: test_algorithms_winner_stays."""
ROOTS = ("rex3", "sparring-exp3")
"""Their regret grows as the root of T: by 0.41 of it in twice the time."""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OTHERWISE])
def test_learners_beat_chance_and_find_the_winner(name):
    P = np.where(np.eye(5) == 1, 0.5, np.where(np.triu(np.ones((5, 5))) > 0, 0.85, 0.15))
    matrix = PreferenceMatrix(P).relabelled([3, 1, 0, 4, 2])
    middle = 1_000_000 if name == "divide-and-battle" else 500_000  # its matches are that long
    course = play(name, matrix, [middle, 2 * middle], kinds=KINDS)
    assert np.all(
        course.regret[:, 1] - course.regret[:, 0] <= (0.5 if name in ROOTS else 0.25) * course.regret[:, 0]
    )  # 1: linear
    assert course.duels[2, 2] > middle


INTERPRETED = """
import json, sys
from tests.test_algorithms_algorithm import all_bits
json.dump(all_bits(), sys.stdout)
"""


def all_bits():
    """What every algorithm does on some matrices, and the numbers that it leaves in both streams."""
    return {
        f"{name} {table}": [algorithm.compiled(), *bits(algorithm, USUAL[table], partial(luck, 4))]
        for name, table in product(NAMES, MATRICES)
        for algorithm in [catalogue()[name]()]
    }


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
