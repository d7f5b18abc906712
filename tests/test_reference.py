"""The reference implementations have one interface and import nothing of the package."""

import ast
import inspect
import sys

import numpy as np
import pytest

from duelbench.algorithms.algorithm import first_arm
from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.reference import course
from tests.reference_paths import FILES, reference_of

NAMES = list(catalogue())
P = np.array([[0.5, 0.9, 0.8], [0.1, 0.5, 0.7], [0.2, 0.3, 0.5]])


def parameters(function):
    return {name: each.default for name, each in inspect.signature(function).parameters.items()}


def streams():
    return np.random.default_rng(1), np.random.default_rng(2)


@pytest.mark.parametrize("name", NAMES)
def test_interface(name):
    kind = catalogue()[name]
    function = reference_of(kind)
    empty = dict.fromkeys(("P", "horizon", "policy", "environment"), inspect.Parameter.empty)
    own = {field: each.default for field, each in kind.model_fields.items()} | ({"T": None} if kind.takes_ties else {})
    assert parameters(function) == empty | own
    played = function(P, 60, *streams(), **kind().model_dump())
    assert inspect.isgenerator(played) == kind.declares()
    path, declared = course(played, 60) if kind.declares() else (played, None)
    assert path.shape == (60, 2)
    assert path.dtype == int
    assert set(np.unique(path)) <= {0, 1, 2}
    assert declared is None or declared[0] is None or np.all(path[declared[1] :] == first_arm(declared[0]))


def test_names_are_those_of_one_algorithm():
    """A function has the name of a class in one module only."""
    names = [
        node.name.replace("_", "")
        for path in FILES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert {kind.__name__: names.count(kind.__name__.lower()) for kind in catalogue().values()} == {
        kind.__name__: 1 for kind in catalogue().values()
    }


def test_course():
    def explore(duels):
        for _ in range(duels):
            yield 0, 1
        return 1

    for duels, horizon, declared in ((2, 5, (1, 2)), (0, 3, (1, 0)), (5, 5, None), (9, 5, None)):
        path, found = course(explore(duels), horizon)
        assert path.tolist() == [[0, 1]] * min(duels, horizon) + [[1, 1]] * (horizon - min(duels, horizon))
        assert found == declared
        declared = (1, 5) if duels == horizon else declared
        again, found = course(explore(duels), horizon, asked_once_more=True)
        assert found == declared
        assert np.array_equal(again, path)


def test_course_without_a_winner():
    def explore():
        yield 0, 1
        return None, 2

    path, found = course(explore(), 3)
    assert path.tolist() == [[0, 1], [2, 2], [2, 2]]
    assert found == (None, 1)


def test_imports():
    """They import only each other, Python, NumPy and SciPy: neither the checked code nor its parts."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level > 0:
                assert node.level == 1, path.name
                names = [node.module] if node.module else [alias.name for alias in node.names]
                assert all((path.parent / f"{name}.py").is_file() for name in names), path.name
            elif isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                rooms = {name.split(".")[0] for name in names}
                assert rooms <= {"numpy", "scipy"} | sys.stdlib_module_names, path.name
