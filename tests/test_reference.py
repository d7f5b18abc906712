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
    path, declared = course(function(P, 60, *streams(), **kind().model_dump()), 60)
    assert set(np.unique(path)) <= {0, 1, 2}
    assert declared is None or declared[0] is None or np.all(path[declared[1] :] == first_arm(declared[0]))


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
