"""The tests of every algorithm, driven by the table in catalogue.py."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.case import order
from duelbench.conformance.reference import engine_course
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.preferences.regret import regret_table
from tests.catalogue import ROWS
from tests.duel_rows import DUELS
from tests.instances import INSTANCES
from tests.playing import counts_of_answers, same
from tests.reference_paths import reference_course

NAMES = list(catalogue())
PATHS = [label for label, row in ROWS.items() if row.runs]
STATED = [
    pytest.param(label, k, marks=pytest.mark.slow if stated.slow else ())
    for label, row in ROWS.items()
    for k, stated in enumerate(row.stated)
]
LATE = [(label, *late) for label, row in ROWS.items() for late in row.late]


@pytest.mark.parametrize("label", PATHS)
def test_path(label):
    row = ROWS[label]
    declared = []
    for instance, rounds, seed in row.each():
        run = row.algorithm(), INSTANCES[instance], rounds, seed
        ours = engine_course(*run)
        assert same(ours, reference_course(*run)), (instance, rounds, seed)
        declared.append(ours[1] is not None)
    assert any(declared) == row.algorithm().declares()


@pytest.mark.parametrize(("label", "number"), STATED)
def test_stated_regret(label, number, request):
    stated = ROWS[label].stated[number]
    instance, numbers, runs, kind, _ = stated
    matrix = INSTANCES[instance] if instance in INSTANCES else request.getfixturevalue("mslr")[instance]
    marks, means, errors = np.array(numbers).T
    algorithm, table, rounds = ROWS[label].algorithm(), regret_table(matrix, kind)[None], marks.astype(np.int64)
    regret = np.array([simulate(algorithm, matrix.P, table, rounds, *streams(1, run)).regret[0] for run in range(runs)])
    own = regret.std(axis=0, ddof=1) / np.sqrt(runs)
    assert np.max(np.abs(regret.mean(axis=0) - means) / np.hypot(own, errors)) < 3.5


@pytest.mark.parametrize(("label", "delay", "share"), LATE)
def test_late(label, delay, share):
    """Arm 0, which wins 90 % of its duels, is played often even if outcomes arrive ``delay`` rounds late."""
    marks = np.array([10_000, 20_000])
    played = simulate(
        ROWS[label].algorithm(), order(4, 0.9).P, pair_tables(4), marks, *streams(1, 0), delay=delay
    ).regret
    duels = (played[:, 1] - played[:, 0]).reshape(4, 4)
    assert (duels[0].sum() + duels[:, 0].sum()) / (2 * duels.sum()) > share


def duel_rows():
    for row in DUELS:
        parameters = ", ".join(f"{name} {value}" for name, value in row.parameters.items())
        about = f"{row.name}, {parameters or 'usual'}: {row.instance}"
        yield pytest.param(row, id=about, marks=pytest.mark.slow if row.slow else ())


@pytest.mark.parametrize("row", list(duel_rows()))
def test_duels(row):
    measured = row.measured()
    assert measured.deviation(row.mean, row.error) < 3
    assert measured.right >= row.right


@pytest.mark.parametrize("name", ["rucb", "rmed1", "ccb", "scb", "rcs"])
def test_answers_of_a_hundred_million_rounds(name):
    """A converged run has far fewer answers than rounds."""
    assert len(counts_of_answers(catalogue()[name](), order(4, 0.7), 10**8, 1)) < 20_000


def test_every_algorithm_has_a_row():
    """Algorithms that draw differently from their reference are tested elsewhere, by comparing distributions."""
    assert {row.name for row in ROWS.values()} <= set(NAMES)
    assert all(label.startswith(row.name) for label, row in ROWS.items())
    elsewhere = {"d-ts", "d-ts+", "rcs", "merge-dts", "anaconda"}
    assert set(NAMES) - {ROWS[label].name for label in PATHS} <= elsewhere
