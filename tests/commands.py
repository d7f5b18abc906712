"""The command as a user gives it: in a process of its own, or in this one."""

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from duelbench.cli import main

REPOSITORY = Path(__file__).parents[1]
SPEC = "title: Two\nhorizon: 2e3\nruns: 3\ndatasets: [six-rankers]\nalgorithms: [rucb, uniform]\n"


def duelbench(*arguments, cwd, **environment):
    command = [sys.executable, "-c", "from duelbench.cli import main; main()", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
        timeout=300,
        check=False,
    )


def here(*arguments):
    """Run the command in this process: what it prints, and its exit code, are those of a process of its own."""
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)
