"""Imports: they go in one direction, and the digest of a run covers all that its algorithm uses."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import duelbench
from tests.pages import rows

PACKAGE = Path(duelbench.__file__).parent


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path):
    """Return the modules of the package that a file imports, and the imported names as if they were modules."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in found if name.startswith("duelbench.")]


ALGORITHM_FILES = [
    path
    for path in sorted((PACKAGE / "algorithms").rglob("*.py"))
    if path.stem not in ("__init__", "algorithm", "catalogue", "declaration")
]
ALLOWED = (
    "duelbench.compiling",
    "duelbench.kernels",
    "duelbench.arrays",
    "duelbench.algorithms.algorithm",
    "duelbench.algorithms.declaration",
)
WRAPPED = {"monitored": ("duelbench.algorithms.confidence", "duelbench.algorithms.winner_stays")}
"""Per family, the families that it wraps. No other family imports a second one."""


def test_imports_are_in_the_digest():
    """Algorithms import only modules that their digest covers."""
    for path in ALGORITHM_FILES:
        packages = (*ALLOWED, f"duelbench.algorithms.{path.parent.name}", *WRAPPED.get(path.parent.name, ()))
        modules = imported(path)
        assert modules, path
        for module in modules:
            assert any(f"{module}.".startswith(f"{package}.") for package in packages), (path.name, module)


PACKAGES = {
    "preferences": "",
    "compiling": "",
    "versions": "compiling",
    "sources": "compiling preferences versions",
    "kernels": "compiling",
    "algorithms": "compiling kernels",
    "spec": "algorithms sources",
    "engine": "algorithms compiling kernels preferences",
    "results": "spec versions",
    "experiment": "algorithms compiling engine preferences results sources spec versions",
    "analysis": "algorithms experiment preferences results sources spec",
    "plots": "analysis preferences results spec",
    "conformance": "algorithms compiling engine experiment preferences sources",
    "votes": "algorithms engine experiment kernels plots preferences results sources spec versions",
    "cli": "*",
}
"""The packages in the order of duelbench/README.md, and those above it that each may import."""
SHARED = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__", "testing"} | {"__version__"}
"""Top-level modules, which any package may import and which import no package."""
VOTES_IN_THE_LABORATORY = PACKAGE / "sources" / "datasets.py"
"""The laboratory imports votes in this module only, within a function."""


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_packages_above_it(package):
    above = set(list(PACKAGES)[: list(PACKAGES).index(package)])
    allowed = above if PACKAGES[package] == "*" else set(PACKAGES[package].split())
    assert allowed <= above
    for path in (PACKAGE / package).rglob("*.py"):
        others = {name.split(".")[1] for name in imported(path)} - SHARED - {package}
        assert others <= allowed | ({"votes"} if path == VOTES_IN_THE_LABORATORY else set()), path


def test_the_page_has_the_packages_in_this_order():
    assert [re.match(r"`(\w+)/`", cells[0])[1] for cells in rows("duelbench/README.md", "Packages")] == list(PACKAGES)
    assert set(PACKAGES) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_verbs_print_safely():
    """They use functions that escape control sequences of the terminal."""
    for path in (PACKAGE / "cli").glob("*.py"):
        words = set(path.read_text(encoding="utf-8").replace("(", " ").split())
        assert path.stem == "terminal" or not {"click.echo", "click.secho"} & words, path.name
        calls = [node.func for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
        assert "print" not in {each.id for each in calls if isinstance(each, ast.Name)}, path.name
