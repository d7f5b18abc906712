"""The line that says that kernels are being compiled: where they are, and only there."""

import os
import shutil
import subprocess
import sys

from tests.comparison import ROOT

CODE = """
from duelbench.algorithms.uniform import Uniform
from duelbench.engine.warm import warm
said = []
for _ in range(2):
    warm([Uniform()], said.append)
print(said)
"""


def announced(package, cache):
    environment = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", CODE], cwd=package, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_compiling_is_announced_once_and_again_where_numba_does_not_find_its_files(tmp_path):
    once = "['compiling kernels (the first time only)…']"
    assert announced(ROOT, tmp_path / "cache") == once
    assert announced(ROOT, tmp_path / "cache") == "[]"
    shutil.copytree(ROOT / "duelbench", tmp_path / "duelbench")
    assert announced(tmp_path, tmp_path / "cache") == once
