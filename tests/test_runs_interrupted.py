"""A command that is killed or interrupted while its workers play."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.experiments import ENVIRONMENT, command, files, played, wait_for

LONG = "horizon: 4e5\nruns: 40\ndatasets: [mslr5-non-condorcet]\nalgorithms: [sparring, rucb]\n"


def start(tmp_path, spec, *options):
    (tmp_path / "long.yaml").write_text(spec)
    return subprocess.Popen(
        command("run", "long.yaml", "-o", "out", *options),
        cwd=tmp_path,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Whatever runs the tests in the background may have had interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def descendants(pid):
    """The processes that a process has started, and they."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found += [int(stat.parent.name), *descendants(int(stat.parent.name))]
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds processes in /proc")
def test_killed_without_mercy_it_goes_on_where_it_was_and_leaves_no_process(tmp_path):
    process = start(tmp_path, LONG, "-j", "2")
    wait_for(lambda: len(list(tmp_path.rglob("run-*.csv"))) >= 3)
    children = descendants(process.pid)
    assert len(children) >= 2
    process.kill()
    process.communicate()
    wait_for(lambda: not [each for each in children if alive(each)])
    kept = {path: path.read_bytes() for path in tmp_path.rglob("run-*.csv")}
    assert 3 <= len(kept) < 80
    assert not (tmp_path / "out" / "summary.csv").exists()
    resumed = start(tmp_path, LONG, "-j", "2")
    out, err = resumed.communicate(timeout=300)
    assert f"{80 - len(kept)} runs played, {len(kept)} kept" in out, err
    assert all(path.read_bytes() == text for path, text in kept.items())
    assert not list(tmp_path.rglob(".run-*"))
    assert played(tmp_path, LONG, into="fresh").execution.played == 80
    assert files(tmp_path / "fresh") == files(tmp_path / "out")


def test_an_interrupt_stops_everything_at_once(tmp_path):
    process = start(tmp_path, LONG.replace("4e5", "1e9"), "-j", "2")
    wait_for(lambda: (tmp_path / "out" / "mslr5-non-condorcet" / "sparring" / "series.json").exists())
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in said
