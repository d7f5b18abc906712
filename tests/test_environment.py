"""The environment of the package: a home, cores, shipped files, the command line."""

import subprocess
import sys

from duelbench import files
from duelbench.files import shipped
from tests.comparison import ROOT


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
