"""Compiling before the work begins: what is missing, side by side, announced once, and nothing else."""

import os
import subprocess
import sys

import pytest

from tests import toys
from tests.comparison import ROOT

CODE = """
import multiprocessing
import sys
from pathlib import Path
from duelbench import cores
from duelbench.algorithms.catalogue import find
from duelbench.engine import warm
from duelbench.errors import UserError

started = []
pool = warm._pool
warm._pool = lambda processes: started.append(processes) or pool(processes)
warm.available_cores = lambda: 2
said = []
algorithms = [find(name, Path())() for name in sys.argv[1:]]
try:
    for _ in range(2):
        warm.warm(algorithms, said.append)
except UserError as error:
    print(error)
print(said, started)
"""
ONCE = "['compiling kernels (the first time only)…']"


@pytest.fixture
def warmed(tmp_path):
    """Warm algorithms twice in a process of its own; return what was announced and how many processes were started."""

    def warmed(*algorithms):
        done = subprocess.run(
            [sys.executable, "-c", CODE, *algorithms],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    return warmed


def test_what_is_missing_is_compiled_side_by_side_and_announced_once(warmed, tmp_path):
    (tmp_path / "mine.py").write_text(toys.mine("0, 1, 1"))
    assert warmed("uniform") == f"{ONCE} []"
    assert warmed("uniform") == "[] []"
    assert warmed("uniform", "doubler", "mine.py:Mine") == f"{ONCE} [2]"
    assert warmed("uniform", "doubler", "mine.py:Mine") == "[] []"
    # Two commands may compile at the same time, and numba's index of a directory takes one writer at a time.
    indices = list(tmp_path.rglob("*.nbi"))
    assert len({index.parent for index in indices}) == len(indices) == 3


def test_a_mistake_in_a_file_of_ones_own_is_named_with_its_line(warmed, tmp_path):
    """Whether it is compiled here or beside others."""
    text = toys.mine("0, 1, state.CHOICE")
    (tmp_path / "mine.py").write_text(text)
    line = text.splitlines().index("    return 0, 1, state.CHOICE") + 1
    for others in ((), ("uniform",)):
        printed = warmed(*others, "mine.py:Mine")
        assert f"mine.py:{line}: this does not compile" in printed
        assert printed.endswith(f"{ONCE} [{'2' if others else ''}]")


def test_where_processes_die_this_one_compiles(warmed, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif 'multiprocessing.forkserver' in ' '.join(sys.orig_argv):\n    os._exit(3)\n"
    )
    monkeypatch.setattr(sys.modules[__name__], "ROOT", f"{tmp_path}{os.pathsep}{ROOT}")
    assert warmed("uniform", "doubler").endswith("[2]")
    assert len(list(tmp_path.rglob("compiled"))) == 2
