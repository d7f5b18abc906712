"""``python -m duelbench``."""

import subprocess
import sys

from tests.comparison import ROOT


def test_the_package_is_the_command():
    command = [sys.executable, "-m", "duelbench"]
    told = subprocess.run([*command, "--help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.startswith("Usage: duelbench ")
    wrong = subprocess.run([*command, "rum"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
