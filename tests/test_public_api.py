"""What ``from duelbench import …`` offers: documented by examples that work, typed, and free until it is used."""

import doctest
import importlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.cli import main

ROOT = Path(__file__).parents[1]
SPEC = "name: demo\nhorizon: 1000\nruns: 4\nseed: 1\ndatasets: [cyclic4]\nalgorithms: [rucb, uniform]\n"


def in_a_new_process(code, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, **more
    ).stdout


def test_importing_duelbench_imports_nothing_else():
    code = (
        "import sys, duelbench; heavy = {'numpy', 'numba', 'pandas', 'pydantic'}; before = heavy & set(sys.modules); "
        "print(sorted(before), [name for name in duelbench.__all__ if name not in dir(duelbench)]); "
        "duelbench.PreferenceMatrix; print(sorted(heavy & set(sys.modules)))"
    )
    assert in_a_new_process(code).splitlines() == ["[] []", "['numpy']"]


def test_everything_is_there_and_nothing_else():
    for name in duelbench.__all__:
        assert getattr(duelbench, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        duelbench.simulat  # noqa: B018
    from duelbench import algorithms  # a package, found although it is no name of the API

    assert algorithms.__path__


def test_there_is_one_version():
    assert duelbench.__version__ == "0.2.0"
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["version"]' in settings
    assert '[tool.hatch.version]\npath = "duelbench/__init__.py"' in settings
    assert "\nversion = " not in settings
    assert (ROOT / "duelbench" / "py.typed").is_file()


@pytest.mark.parametrize("name", ["PreferenceMatrix", "Session", "load_results", "simulate"])
def test_the_example_works(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name == "load_results":
        Path("demo.yaml").write_text(SPEC)
        main(["run", "demo.yaml", "-j", "1"], standalone_mode=False)
    thing = getattr(duelbench, name)
    module = importlib.import_module(thing.__module__)
    examples = doctest.DocTestFinder(recurse=False).find(thing, name, module=module, globs={})
    assert sum(len(each.examples) for each in examples) >= 3
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


def test_the_algorithm_of_the_example_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(file_in(duelbench.Algorithm.__doc__))
    P = np.where(np.eye(4) == 1, 0.5, np.where(np.triu(np.ones((4, 4))) > 0, 0.8, 0.2))
    trajectory = duelbench.simulate("mine.py:Challenge", P, horizon=1000)
    assert trajectory.duels.sum() == 1000
    assert trajectory.duels[0].sum() > 900
    from duelbench.algorithms.catalogue import find

    challenge = find("mine.py:Challenge", Path())
    assert challenge.compiled() == (os.environ.get("NUMBA_DISABLE_JIT", "0") == "0")


def test_the_kernel_of_the_example_works(tmp_path, monkeypatch):
    Path(tmp_path, "a_kernel.py").write_text(file_in(duelbench.kernel.__doc__))
    monkeypatch.syspath_prepend(tmp_path)
    win_rate = importlib.import_module("a_kernel").win_rate
    assert [win_rate(3, 4), win_rate(0, 0)] == [0.75, 0.5]
