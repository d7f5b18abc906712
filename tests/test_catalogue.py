"""The tests of every algorithm, driven by the table in catalogue.py."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.paths import engine_course
from tests.catalogue import PATHS, Line
from tests.instances import INSTANCES
from tests.reference import mistaken, path_of, reference_path

MISTAKES = [(label, k) for label, row in PATHS.items() for k in range(len(row.mistakes))]


def same(ours, theirs):
    return np.array_equal(ours[0], theirs[0]) and ours[1] == theirs[1]


@pytest.mark.parametrize("label", PATHS)
def test_path(label):
    row = PATHS[label]
    declared = []
    for instance, rounds, seed in row.each():
        ours = engine_course(row.algorithm(), INSTANCES[instance], rounds, seed)
        assert same(ours, path_of(row, instance, rounds, seed)), (instance, rounds, seed)
        declared.append(ours[1] is not None)
    assert any(declared) == row.algorithm().declares()


@pytest.mark.parametrize(("label", "number"), MISTAKES)
def test_mistake(label, number, tmp_path):
    row, mistake = PATHS[label], PATHS[label].mistakes[number]

    def seen(instance, rounds, seed):
        matrix = INSTANCES[instance]
        if isinstance(mistake, Line):
            right = engine_course(row.algorithm(), matrix, rounds, seed)
            return not same(right, reference_path(row.algorithm(), matrix, rounds, seed, package))
        wrong = engine_course(row.algorithm(**mistake), matrix, rounds, seed)
        return not same(wrong, path_of(row, instance, rounds, seed))

    package = mistaken(mistake, tmp_path) if isinstance(mistake, Line) else None
    assert any(seen(*run) for run in row.each())


def test_rows_have_names_of_the_catalogue():
    assert {row.name for row in PATHS.values()} <= set(catalogue())
    assert all(label.startswith(row.name) for label, row in PATHS.items())
