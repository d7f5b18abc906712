"""The line that says that kernels are being compiled: where they are, and only there."""

import os
import shutil
import subprocess
import sys

from tests.comparison import ROOT

CODE = """
import sys
from pathlib import Path
from duelbench.algorithms.catalogue import find
from duelbench.engine.warm import warm
said = []
for _ in range(2):
    warm([find(sys.argv[1], Path())()], said.append)
print(said)
"""


def announced(package, cache, algorithm="uniform"):
    environment = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", CODE, algorithm],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_compiling_is_announced_once_and_again_where_numba_does_not_find_its_files(tmp_path):
    once = "['compiling kernels (the first time only)…']"
    assert announced(ROOT, tmp_path / "cache") == once
    assert announced(ROOT, tmp_path / "cache") == "[]"
    shutil.copytree(ROOT / "duelbench", tmp_path / "duelbench")
    assert announced(tmp_path, tmp_path / "cache") == once


def test_algorithms_share_no_index_of_machine_code(tmp_path):
    """Two commands may compile at the same time, and numba's index of a directory takes one writer at a time."""
    for algorithm in ("uniform", "doubler"):
        announced(ROOT, tmp_path, algorithm)
    indices = list(tmp_path.rglob("*.nbi"))
    assert len({index.parent for index in indices}) == len(indices) == 2
