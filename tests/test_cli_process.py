"""Streams, signals and environments of a command's process: it works, or says in one sentence why it does not."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.commands import here
from tests.experiments import PLAIN, command, wait_for

SPEC = "horizon: 100\nruns: 2\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
POSIX = pytest.mark.skipif(os.name != "posix", reason="streams and limits as POSIX has them")


def shell(base, *arguments, around="{}", **environment):
    """Run ``around`` in a shell, with the command in place of ``{}``."""
    (base / "s.yaml").write_text(SPEC)
    line = around.format(" ".join(command(*arguments)))
    return subprocess.run(
        ["bash", "-c", line], cwd=base, env={**PLAIN, **environment}, capture_output=True, text=True, timeout=300
    )


def sentence(done):
    """Return the error line, which must be the last line that a command has printed."""
    assert done.returncode == 2, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in done.stderr
    assert done.stderr.rstrip().endswith(line)
    return line


@POSIX
def test_closed_streams(tmp_path):
    done = shell(tmp_path, "run", "s.yaml", "-o", "out", "-j", "1", around="{} <&- >&- 2>&-")
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.rglob("run-*.csv"))) == 2
    assert "error" not in done.stderr


@pytest.fixture
def temporary():
    """A temporary directory with a short path: paths of sockets have at most about a hundred characters."""
    with tempfile.TemporaryDirectory(prefix="t-") as path:
        yield Path(path)


@POSIX
def test_no_home(tmp_path):
    (tmp_path / "s.yaml").write_text(SPEC)
    (tmp_path / "a file").write_text("")
    environment = {key: value for key, value in PLAIN.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    environment |= {"HOME": str(tmp_path / "a file"), "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "duelbench", "run", "s.yaml", "-o", "out", "-j", "1"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert "set NUMBA_CACHE_DIR to a directory that you can write to" in sentence(done)


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)])
def test_signals(tmp_path, temporary, number):
    (tmp_path / "s.yaml").write_text(SPEC.replace("100", "1e12").replace("uniform", "sparring"))
    environment = {**PLAIN, "TMPDIR": str(temporary)}
    run = subprocess.Popen(
        command("run", "s.yaml", "-o", "out", "-j", "2"), cwd=tmp_path, env=environment, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )  # fmt: skip
    wait_for(lambda: list(tmp_path.rglob("series.json")))
    time.sleep(0.5)  # until both workers are busy
    run.send_signal(number)
    _, said = run.communicate(timeout=100)
    assert run.returncode == 128 + number
    assert b"Traceback" not in said
    assert not list(temporary.iterdir())


@POSIX
@pytest.mark.parametrize("arguments", [["check"], ["run", "-o", "out", "-j", "0"]])
def test_spec_from_pipe(tmp_path, monkeypatch, interpreted, arguments):
    monkeypatch.chdir(tmp_path)
    pipe, end = os.pipe()
    os.write(end, SPEC.encode())
    os.close(end)
    done = here(*arguments, f"/dev/fd/{pipe}")
    os.close(pipe)
    assert done.exit_code == 0, done.output


def test_scheduler_address(tmp_path, monkeypatch, interpreted):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(SPEC)
    for address in ("tls://x", "tcp://[:1", "tls://127.0.0.1:1"):
        done = here("run", "s.yaml", "-o", "out", "--executor", "dask", "--scheduler", address)
        gc.collect()  # collect the failed client now: in the thread of the next client, it would lock both
        assert done.exit_code == 2 and "check --scheduler" in done.stderr
