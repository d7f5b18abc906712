"""Runs and their directory, where the disk is full or something is in the way."""

import resource
import subprocess

import pytest

from duelbench.errors import UserError
from tests.experiments import ENVIRONMENT, command, played


def test_a_full_disk_is_one_sentence(tmp_path):
    spec = "horizon: 1e5\nruns: 3\ncheckpoints_per_decade: 100\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    (tmp_path / "s.yaml").write_text(spec)

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))  # stands in for a disk without room

    line = command("run", "s.yaml", "-j", 1)
    environment = ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"}  # Python would leave a part of a module's bytecode
    failed = subprocess.run(
        line, cwd=tmp_path, env=environment, capture_output=True, text=True, preexec_fn=small_files, check=False
    )
    assert failed.returncode == 2, failed.stderr
    (said,) = [line for line in failed.stderr.splitlines() if "compiling" not in line]
    assert said.startswith("error: cannot write results/s/")
    assert not list(tmp_path.rglob("run-*"))
    assert not list(tmp_path.rglob(".run-*"))


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "six-rankers").write_text("in the way")
    with pytest.raises(UserError, match=r"cannot write .*six-rankers"):
        played(tmp_path, "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform]\n")
