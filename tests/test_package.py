"""The package: its public names with working examples, and the complete wheel."""

import doctest
import importlib
import os
import re
import subprocess
import sys
import textwrap
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

import duelbench
from duelbench.algorithms.catalogue import find
from duelbench.cli import main
from tests.comparison import ROOT, python

SPEC = "name: demo\nhorizon: 1000\nruns: 4\nseed: 1\ndatasets: [cyclic4]\nalgorithms: [rucb, uniform]\n"


LIGHT = """
import sys, duelbench
heavy = {"numpy", "numba", "pandas", "pydantic"}
before = heavy & set(sys.modules)
print(sorted(before), [name for name in duelbench.__all__ if name not in dir(duelbench)])
duelbench.PreferenceMatrix
print(sorted(heavy & set(sys.modules)))
"""


def test_light_import():
    assert python("-c", LIGHT).stdout.splitlines() == ["[] []", "['numpy']"]


def test_public_names():
    for name in duelbench.__all__:
        assert getattr(duelbench, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        duelbench.simulat  # noqa: B018
    from duelbench import algorithms  # a subpackage, which is found although it is not in the API

    assert algorithms.__path__


@pytest.mark.parametrize(
    "name",
    [
        *["PreferenceMatrix", "Session", "algorithm", "list_algorithms", "load_results", "matrix", "rank"],
        *["read_votes", "run", "simulate"],
    ],
)
def test_example(name, tmp_path, monkeypatch, interpreted):
    monkeypatch.chdir(tmp_path)
    if name == "load_results":
        Path("demo.yaml").write_text(SPEC)
        main(["run", "demo.yaml", "-j", "0"], standalone_mode=False)
    thing = getattr(duelbench, name)
    module = importlib.import_module(thing.__module__)
    examples = doctest.DocTestFinder(recurse=False).find(thing, name, module=module, globs={})
    assert sum(len(each.examples) for each in examples) >= 2
    runner = doctest.DocTestRunner()
    said = []
    for each in examples:
        runner.run(each, out=said.append)
    assert not runner.failures, "".join(said)


def file_in(docstring):
    """Return the code block of a docstring, dedented."""
    text = textwrap.dedent(docstring.partition("\n")[2])
    lines = text.partition("::\n")[2].splitlines()
    end = next(k for k, line in enumerate(lines) if line and not line.startswith("    "))
    return textwrap.dedent("\n".join(lines[:end]))


def test_example_of_an_algorithm(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(file_in(duelbench.Algorithm.__doc__))
    P = np.where(np.eye(4) == 1, 0.5, np.where(np.triu(np.ones((4, 4))) > 0, 0.8, 0.2))
    trajectory = duelbench.simulate("mine.py:Challenge", P, horizon=1000)
    assert trajectory.duels.sum() == 1000
    assert trajectory.duels[0].sum() > 900
    challenge = find("mine.py:Challenge", Path())
    assert challenge.compiled() == (os.environ.get("NUMBA_DISABLE_JIT", "0") == "0")


def test_example_of_a_kernel(tmp_path, monkeypatch):
    Path(tmp_path, "a_kernel.py").write_text(file_in(duelbench.kernel.__doc__))
    monkeypatch.syspath_prepend(tmp_path)
    win_rate = importlib.import_module("a_kernel").win_rate
    assert [win_rate(3, 4), win_rate(0, 0)] == [0.75, 0.5]


ADDRESS = "github.com/duelbench/duelbench"
"""The placeholder of the repository's address."""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    built = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True)
    (wheel,) = built.glob("duelbench-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


COMMANDS = ["check quickstart.yaml", "datasets show sushi16"]
SCRIPT = """
import sys, duelbench
from duelbench.cli import main
assert duelbench.__file__.startswith(sys.argv[1]), duelbench.__file__
for command in sys.argv[2:]:
    main(command.split(), standalone_mode=False)
    print("----")
"""


def test_wheel_has_shipped_files(unpacked, tmp_path):
    done = python("-c", SCRIPT, unpacked, *COMMANDS, cwd=tmp_path, PYTHONPATH=str(unpacked))
    checked, sushi, _ = done.stdout.split("----\n")
    assert "450 in all" in checked
    assert "exact ties        2–4" in sushi


def test_wheel_is_complete(unpacked):
    (info,) = unpacked.glob(f"duelbench-{duelbench.__version__}.dist-info")
    assert "duelbench = duelbench.cli:main" in (info / "entry_points.txt").read_text()
    assert "MIT" in (info / "licenses" / "LICENSE").read_text()
    assert "duelbench/README.md" in (ROOT / "duelbench" / "cli" / "list.py").read_text(encoding="utf-8")  # named there
    names = "README.md py.typed fingerprints.json shipped_files/configs/README.md"
    assert [name for name in names.split() if not (unpacked / "duelbench" / name).exists()] == []
    assert not (unpacked / "duelbench" / "fingerprints").exists()
    shipped = unpacked / "duelbench" / "shipped_files"
    assert {path.suffix for path in shipped.rglob("*.*")} == {".csv", ".md", ".yaml"}  # no scripts that made them
    assert {path.name.partition("-")[0] for path in unpacked.iterdir()} == {"duelbench"}  # no tests, no documentation


def test_conda_recipe_and_addresses():
    """The recipe has the requirements of the package, and all files give the same address of the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text(encoding="utf-8"))
    needed = [re.sub("-base| ", "", each) for each in recipe["requirements"]["run"]]
    assert needed == [f"python{project['requires-python']}", *project["dependencies"]]
    assert recipe["context"]["version"] == duelbench.__version__
    assert {
        recipe["about"]["homepage"],
        yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["repository-code"],
    } == {project["urls"]["Homepage"]}
    assert ADDRESS in project["urls"]["Homepage"]
    assert f"https://{ADDRESS}/actions" in (ROOT / "README.md").read_text(encoding="utf-8")
