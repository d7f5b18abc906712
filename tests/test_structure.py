"""Imports: they point one way, and the digest of a run covers all that its algorithm uses."""

import ast
import graphlib
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import duelbench
from tests.comparison import python
from tests.pages import blocks, rows

PACKAGE = Path(duelbench.__file__).parent


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path):
    """Return the modules that a file imports, and the names from them as if these were modules, too."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative imports hide where code comes from"
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


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
    """Algorithms import nothing that their digest misses."""
    for path in ALGORITHM_FILES:
        ours = [module for module in imported(path) if module.split(".")[0] == "duelbench"]
        assert ours, path
        packages = (*ALLOWED, f"duelbench.algorithms.{path.parent.name}", *WRAPPED.get(path.parent.name, ()))
        for module in ours:
            assert any(f"{module}.".startswith(f"{package}.") for package in packages), (
                path.name,
                module,
            )


def test_a_package_imports_only_packages_above_it():
    """In the table of the page; the top-level modules import no package. Votes are imported within a function once."""
    order = [re.match(r"\[(\w+)/\]", cells[0])[1] for cells in rows("duelbench/README.md", "Packages")]
    assert {*order} == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    for path in PACKAGE.rglob("*.py"):
        package = path.relative_to(PACKAGE).parts[0]
        if package not in ("__init__.py", "__main__.py", "testing.py"):
            above = order[: order.index(package) + 1] if package in order else []
            others = {name.split(".")[1] for name in imported(path) if name.startswith("duelbench.")} & {*order}
            assert others <= {*above, *(["votes"] if path.match("sources/datasets.py") else [])}, path


WITHOUT_VOTES = """
import sys
import duelbench
from duelbench.cli import main
before = set(sys.modules)
main(["run", sys.argv[1], "-j", "0"], standalone_mode=False)
print([name for name in before | set(sys.modules) if name.startswith("duelbench.votes")])
"""


def test_the_laboratory_runs_without_votes(tmp_path):
    """Neither the package nor the run of a spec without votes loads a module of votes."""
    spec = tmp_path / "spec.yaml"
    spec.write_text("horizon: 20\nruns: 2\ndatasets: [cyclic4]\nalgorithms: [rucb]\nrecommend: copeland\n")
    assert python("-c", WITHOUT_VOTES, spec, cwd=tmp_path, NUMBA_DISABLE_JIT="1").stdout.splitlines()[-1] == "[]"


def test_specs_import_kinds_of_figures_without_matplotlib(tmp_path):
    code = "import sys, duelbench.spec.resolved; print({'matplotlib', 'pandas', 'scipy', 'numba'} & sys.modules.keys())"
    assert python("-c", code, cwd=tmp_path).stdout.strip() == "set()"


def test_no_import_cycles():
    """Imports inside functions count, too."""
    files = {
        ".".join(("duelbench", *path.relative_to(PACKAGE).with_suffix("").parts)): path
        for path in PACKAGE.rglob("*.py")
        if path.stem != "__init__" and path.parent.name != "stated"
    }
    needed = {module: files.keys() & set(imported(path)) for module, path in files.items()}
    list(graphlib.TopologicalSorter(needed).static_order())  # CycleError names the circle


def test_verbs_print_safely():
    """They use functions that escape control sequences of the terminal."""
    for path in (PACKAGE / "cli").glob("*.py"):
        words = set(path.read_text(encoding="utf-8").replace("(", " ").split())
        assert path.stem == "terminal" or not {"click.echo", "click.secho"} & words, path.name
        calls = [node.func for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
        assert "print" not in {each.id for each in calls if isinstance(each, ast.Name)}, path.name


def test_the_way_of_a_run_on_the_page():
    """Each of its modules has what the page says."""
    text = next(text for _, text in blocks("", ["duelbench/README.md"]) if "make_plan: Spec" in text)
    for line in text.splitlines():
        module, name, _ = re.fullmatch(r"(\S+)\.py +(\w+): (.*)", line).groups()
        assert hasattr(import_module(f"duelbench.{module.replace('/', '.')}"), name), line
