"""Commands that are killed, interrupted, refused or out of disk space."""

import re
import resource
import signal
import subprocess
import sys

import pytest

from duelbench.errors import UserError
from duelbench.files import only_one
from tests.commands import here
from tests.experiments import ENVIRONMENT, command, files, own_algorithm, played, wait_for, with_interrupts

GATED = """
import time
from pathlib import Path
PLACE = Path("DIRECTORY")
def may_go_on():
    if not (PLACE / "out").exists():  # it is tried
        return True
    for ticket in PLACE.glob("ticket-*"):
        try:
            ticket.unlink()
            return True
        except FileNotFoundError:
            pass
    return (PLACE / "go").exists()
"""
WAITS = "while t == 5 and not may_go_on(): time.sleep(0.01)\n    return int(6 * rng.random()), int(6 * rng.random()), 1"
"""The duration of a run is unknown, so each waits for a ticket."""


def start(directory, *options):
    return subprocess.Popen(
        command("run", "gated.yaml", "-o", "out", *options),
        cwd=directory,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=with_interrupts,
    )


@pytest.mark.parametrize(
    ("how", "jobs", "done"),
    [(signal.SIGKILL, 2, 3), (signal.SIGINT, 2, 3), (signal.SIGINT, 0, 1)],
    ids=["kill", "interrupt", "here"],
)
def test_resume(tmp_path, how, jobs, done):
    """A command that was killed or interrupted resumes, and leaves no process."""
    head = GATED.replace("DIRECTORY", str(tmp_path))
    (tmp_path / "gated.py").write_text(own_algorithm(WAITS, head, name="Gated"))
    spec = "horizon: 20\nruns: 10\ndatasets: [six-rankers]\nalgorithms: ['gated.py:Gated']\n"
    (tmp_path / "gated.yaml").write_text(spec)
    for ticket in range(3):
        (tmp_path / f"ticket-{ticket}").touch()
    process = start(tmp_path, "-j", jobs)
    try:
        wait_for(lambda: len(list(tmp_path.rglob("run-*.csv"))) >= done or process.poll() is not None)
        process.send_signal(how)
        _, said = process.communicate(timeout=120)  # returns when no process holds the pipes
    finally:
        process.kill()
    if how == signal.SIGINT:
        assert (process.returncode, "repeat the command to continue" in said) == (130, True)
    assert "Traceback" not in said
    kept = {path: path.read_bytes() for path in tmp_path.rglob("run-*.csv")}
    assert done <= len(kept) <= 3  # there are three tickets
    assert not (tmp_path / "out" / "summary.csv").exists()
    (tmp_path / "go").touch()
    assert played(tmp_path, spec).execution.played == 10 - len(kept)
    assert all(path.read_bytes() == text for path, text in kept.items())
    assert not list(tmp_path.rglob(".run-*"))
    assert played(tmp_path, spec, into="fresh").execution.played == 10
    assert files(tmp_path / "fresh") == files(tmp_path / "out")


def test_interrupt_before_the_first_run(tmp_path, monkeypatch):
    """An interrupt while matrices are drawn once gave exit code 1, as for a failed command."""
    (tmp_path / "spec.yaml").write_text(SPEC)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("duelbench.experiment.plan.make_plan", interrupted)
    ended = here("run", tmp_path / "spec.yaml", "-o", tmp_path / "out")
    assert (ended.exit_code, ended.output) == (130, "interrupted\n")
    assert not (tmp_path / "out").exists()


# One execution at a time in a directory


HOLDER = """
import sys, time
from pathlib import Path
from duelbench.files import only_one
with only_one(Path(sys.argv[1]), print):
    print("held", flush=True)
    time.sleep(1000)
"""
SPEC = "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"


def test_lock(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "spec.yaml").write_text(SPEC)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "out")], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    second = here("run", tmp_path / "spec.yaml", "-o", tmp_path / "out", "-j", 0)
    assert second.exit_code == 2
    assert re.search(rf"error: \S+out is in use by process {holder.pid} on \S+: wait until it has ended", second.stderr)
    holder.kill()
    holder.communicate()
    with only_one(tmp_path / "out", lambda _: None):
        pass


def test_lock_after_a_failure(tmp_path):
    with pytest.raises(ValueError, match="x"), only_one(tmp_path, lambda _: None):
        raise ValueError("x")
    with only_one(tmp_path, lambda _: None), pytest.raises(UserError, match="in use by process"):  # noqa: SIM117
        with only_one(tmp_path, lambda _: None):
            pass


# Full disks


def test_full_disk(tmp_path):
    spec = "horizon: 1e5\nruns: 3\ncheckpoints_per_decade: 100\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    (tmp_path / "s.yaml").write_text(spec)

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))  # as on a full disk

    line = command("run", "s.yaml", "-j", 1)
    environment = ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"}  # Python would write partial bytecode
    failed = subprocess.run(
        line, cwd=tmp_path, env=environment, capture_output=True, text=True, preexec_fn=small_files, check=False
    )
    assert failed.returncode == 2, failed.stderr
    (said,) = [line for line in failed.stderr.splitlines() if "compiling" not in line]
    assert said.startswith("error: cannot write results/s/")
    assert not list(tmp_path.rglob("run-*"))
    assert not list(tmp_path.rglob(".run-*"))
