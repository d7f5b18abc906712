"""One execution at a time in a directory."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.errors import UserError
from duelbench.runs.lock import only_one
from tests.experiments import ENVIRONMENT

HOLDER = """
import sys, time
from pathlib import Path
from duelbench.runs.lock import only_one
with only_one(Path(sys.argv[1]), print):
    print("held", flush=True)
    time.sleep(1000)
"""
SPEC = "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"


def test_two_at_once_are_refused_by_name_and_a_crash_leaves_no_lock(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "spec.yaml").write_text(SPEC)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "out")], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    second = CliRunner().invoke(main, ["run", str(tmp_path / "spec.yaml"), "-o", str(tmp_path / "out"), "-j", "0"])
    assert second.exit_code == 2
    assert re.search(rf"error: \S+out is in use by process {holder.pid} on \S+: wait until it has ended", second.stderr)
    holder.kill()
    holder.communicate()
    with only_one(tmp_path / "out", lambda _: None):
        pass


def test_the_lock_is_free_after_a_failure(tmp_path):
    with pytest.raises(ValueError, match="x"), only_one(tmp_path, lambda _: None):
        raise ValueError("x")
    with only_one(tmp_path, lambda _: None), pytest.raises(UserError, match="in use by process"):  # noqa: SIM117
        with only_one(tmp_path, lambda _: None):
            pass
