"""The environment of the package: a home, cores, shipped files, the command line."""

import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from duelbench import files
from duelbench.files import is_nowhere, shipped, user_cache
from tests.comparison import ROOT


@pytest.mark.parametrize("error", [RuntimeError, KeyError])
def test_no_home(monkeypatch, error):
    def fails(name, author):
        raise error

    monkeypatch.setattr(platformdirs, "user_cache_path", fails)
    assert is_nowhere(user_cache() / "kernels")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, author: Path("~/.cache", name))
    assert is_nowhere(user_cache())


def test_shipped_files(tmp_path, monkeypatch):
    assert shipped("configs") == ROOT / "configs"
    package = tmp_path / "duelbench"
    monkeypatch.setattr(files, "__file__", str(package / "files.py"))
    assert shipped("configs") == tmp_path / "configs"
    (package / "shipped_files" / "configs").mkdir(parents=True)
    assert shipped("configs") == package / "shipped_files" / "configs"


def test_python_m_duelbench():
    done = subprocess.run([sys.executable, "-m", "duelbench", "rum"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: duelbench ")
