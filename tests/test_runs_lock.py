"""One execution at a time in a directory."""

import os
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


def hard_link(path, precious):
    os.link(precious, path)


def soft_link(path, precious):
    path.symlink_to(precious)


def pipe(path, precious):
    os.mkfifo(path)


@pytest.mark.parametrize("make", [hard_link, soft_link, pipe])
def test_what_is_no_file_of_its_own_is_refused_and_left_as_it_is(tmp_path, make):
    """A hard link in its place had the file behind it overwritten."""
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out").mkdir()
    make(tmp_path / "out" / ".lock", tmp_path / "precious")
    with pytest.raises(UserError, match=r"cannot write .*\.lock \(.*\): remove it"), only_one(tmp_path / "out", print):
        pass
    assert (tmp_path / "precious").read_text() == "mine"


def test_the_holder_is_named_in_few_words_whatever_the_file_holds(tmp_path):
    with only_one(tmp_path, print):
        (tmp_path / ".lock").write_bytes(b"\xff" * 10**6)
        with pytest.raises(UserError, match="in use by") as caught, only_one(tmp_path, print):
            pass
    assert len(str(caught.value)) < 1000
