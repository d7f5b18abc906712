"""Run the command as a user does, in a separate process or in this one."""

import os
import subprocess
from unittest import mock

from click.testing import CliRunner

from duelbench.cli import main
from tests.experiments import ENVIRONMENT, command

SPEC = "title: Two\nhorizon: 2e3\nruns: 3\ndatasets: [six-rankers]\nalgorithms: [rucb, uniform]\n"


def duelbench(*arguments, cwd):
    return subprocess.run(
        command(*arguments), cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False
    )


def here(*arguments, **options):
    """Run the command in this process and return its output and exit code; its changes to the environment are undone.

    ``options`` are passed to click's runner, such as ``input``.
    """
    with mock.patch.dict(os.environ):  # --interpreted sets a variable
        return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False, **options)
