"""Runs that nothing can ruin: killed, torn, changed or claimed twice."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.runs.backends import local
from duelbench.runs.execute import execute
from duelbench.runs.lock import only_one
from duelbench.runs.plan import make_plan
from duelbench.runs.record import changes
from duelbench.runs.status import leftovers, recorded_spec, status
from duelbench.spec.load import load

REPOSITORY = Path(__file__).parents[1]
SPEC = """\
horizon: 3e3
runs: 6
seed: 5
datasets: [six-rankers, {name: btl-uniform, arms: 4}]
algorithms: [{name: rucb, alpha: 0.51, label: rucb}, d-ts]
"""


def planned(tmp_path, text=SPEC):
    (tmp_path / "spec.yaml").write_text(text)
    return make_plan(load(tmp_path / "spec.yaml"))


def play(tmp_path, text=SPEC, into="out", workers=0):
    said = []
    plan = planned(tmp_path, text)
    execution = execute(plan, tmp_path / into, local(workers), announce=said.append, progress=lambda *_: None)
    return execution, said


def files(directory):
    return {path.relative_to(directory): path.read_bytes() for path in sorted(directory.rglob("*.csv"))}


def counts(tmp_path, text=SPEC):
    return {
        (each.series.dataset.label, each.series.algorithm.label): (each.counts, each.reasons)
        for each in status(planned(tmp_path, text), tmp_path / "out")
    }


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    base = tmp_path_factory.mktemp("original")
    execution, said = play(base)
    assert (execution.played, [line for line in said if "compiling" not in line]) == (24, [])
    return base / "out"


@pytest.fixture
def copy(original, tmp_path):
    shutil.copytree(original, tmp_path / "out")
    return tmp_path / "out"


def start(tmp_path, spec, *options):
    (tmp_path / "long.yaml").write_text(spec)
    return subprocess.Popen(
        [sys.executable, "-c", "from duelbench.cli import main; main()", "run", "long.yaml", "-o", "out", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Whatever runs the tests in the background may have had interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(condition, seconds=120):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


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


LONG = "horizon: 4e5\nruns: 40\ndatasets: [mslr5-non-condorcet]\nalgorithms: [sparring, rucb]\n"


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
    fresh, _ = play(tmp_path, LONG, into="fresh")
    assert fresh.played == 80
    assert files(tmp_path / "fresh") == files(tmp_path / "out")


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


TEARS = {
    "empty": lambda text: b"",
    "half": lambda text: text[: len(text) // 2],
    "one row less": lambda text: text[: text.rstrip().rfind(b"\n") + 1],
    "zeros": lambda text: bytes(len(text)),
    "a digit": lambda text: text[:-3] + bytes([text[-3] ^ 1]) + text[-2:],
    "only its first line": lambda text: text[: text.find(b"\n") + 1],
}


@pytest.mark.parametrize("tear", TEARS.values(), ids=TEARS)
def test_a_file_that_power_loss_has_torn_is_noticed_and_played_again(original, copy, tmp_path, tear):
    torn = copy / "six-rankers" / "d-ts" / "run-00002.csv"
    torn.write_bytes(tear(torn.read_bytes()))
    assert counts(tmp_path)["six-rankers", "d-ts"] == ({"done": 5, "damaged": 1}, ())
    execution, _ = play(tmp_path)
    assert (execution.kept, execution.played) == (23, 1)
    assert files(copy) == files(original)


def test_nothing_is_written_when_nothing_is_missing_but_summary_and_manifest(copy, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*/*/*")}
    execution, said = play(tmp_path)
    assert (execution.kept, execution.played, said) == (24, 0, [])
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*/*/*")} == before


def test_status_before_between_and_after(copy, tmp_path):
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 6}, ())
    (copy / "six-rankers" / "rucb" / "run-00001.csv").unlink()
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 5, "missing": 1}, ())
    assert counts(tmp_path, SPEC.replace("runs: 6", "runs: 8"))["six-rankers", "d-ts"] == (
        {"done": 6, "missing": 2},
        (),
    )
    shutil.rmtree(copy)
    assert all(states == {"missing": 6} for states, _ in counts(tmp_path).values())


CHANGES = [
    ("alpha: 0.51", "alpha: 0.6", {"rucb": ("alpha 0.51 → 0.6",)}),
    ("seed: 5", "seed: 6", {"rucb": ("seed 5 → 6",), "d-ts": ("seed 5 → 6",)}),
    ("runs: 6\nseed: 5", "seeds: [1, 2]", {"rucb": ("seed 5 → none",), "d-ts": ("seed 5 → none",)}),
    ("horizon: 3e3", "horizon: 4e3", {"rucb": ("rows", "checkpoints"), "d-ts": ("rows", "checkpoints")}),
    ("[six-rankers,", "[{name: arithmetic8, label: six-rankers},", {"rucb": ("matrix",), "d-ts": ("matrix",)}),
    ("seed: 5", "seed: 5\nshuffle_arms: false", dict.fromkeys(("rucb", "d-ts"), ("shuffle_arms true → false",))),
    ("seed: 5", "seed: 5\nregret: borda", dict.fromkeys(("rucb", "d-ts"), ('regret ["copeland"] → ["borda"]',))),
]


@pytest.mark.parametrize(("old", "new", "reasons"), CHANGES)
def test_a_change_is_explained_and_old_and_new_numbers_never_lie_side_by_side(copy, tmp_path, old, new, reasons):
    text = SPEC.replace(old, new)
    assert text != SPEC
    found = counts(tmp_path, text)
    for label in ("rucb", "d-ts"):
        states, why = found["six-rankers", label]
        assert ("stale" in states) == (label in reasons)
        assert why == reasons.get(label, ())

    class Enough(Exception):
        pass

    def stop_at_the_first_run(done, total):
        raise Enough

    plan = planned(tmp_path, text)
    with pytest.raises(Enough):
        execute(plan, copy, local(0), announce=lambda _: None, progress=stop_at_the_first_run)
    assert not (copy / "summary.csv").exists()
    first = next(iter(reasons))
    series = next(each for each in plan.series if each.algorithm.label == first)
    valid = {series.key(*plan.seed(number)) for number in range(plan.runs)}
    there = [path.read_text().split()[3] for path in (copy / "six-rankers" / first).glob("run-*")]
    assert len(there) >= 1
    assert set(there) <= valid
    play(tmp_path, text)
    play(tmp_path, text, into="fresh")
    assert {path: data for path, data in files(copy).items() if path in files(tmp_path / "fresh")} == files(
        tmp_path / "fresh"
    )


def test_run_says_what_is_stale(copy, tmp_path):
    _, said = play(tmp_path, SPEC.replace("alpha: 0.51", "alpha: 0.6"))
    assert said == [
        f"{dataset}/rucb: 6 runs are stale (alpha 0.51 → 0.6)" for dataset in ("six-rankers", "btl-uniform")
    ]


def test_changed_code_and_libraries_are_named():
    before = {"parameters": {"alpha": 1}, "code": {"kernels.ucb": "a", "engine.play": "b", "numpy": "2.3"}}
    now = {"parameters": {"alpha": 1}, "code": {"kernels.ucb": "c", "engine.play": "b", "numpy": "2.4"}}
    assert changes(before, now) == ['numpy "2.3" → "2.4"', "code of kernels.ucb"]


def test_series_that_the_spec_has_no_more_are_named_and_left_alone(copy, tmp_path):
    text = SPEC.replace(", d-ts]", "]")
    assert [path.relative_to(copy) for path in leftovers(planned(tmp_path, text), copy)] == [
        Path("btl-uniform/d-ts"),
        Path("six-rankers/d-ts"),
    ]
    before = files(copy)
    play(tmp_path, text)
    assert {path: data for path, data in files(copy).items() if path.name != "summary.csv"} == {
        path: data for path, data in before.items() if path.name != "summary.csv"
    }


def test_two_at_once_are_refused_by_name_and_a_crash_leaves_no_lock(tmp_path):
    holder = start(tmp_path, LONG, "-j", "1")
    wait_for(lambda: list(tmp_path.rglob("run-*.csv")))
    second = start(tmp_path, LONG, "-j", "1")
    _, said = second.communicate(timeout=60)
    assert second.returncode == 2
    assert re.search(rf"error: out is in use by process {holder.pid} on \S+: wait until it has ended", said)
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


@pytest.mark.parametrize("where", ["six-rankers", "six-rankers/rucb"])
def test_a_link_out_of_the_directory_is_not_followed(tmp_path, where):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "out" / where
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(UserError, match="leads out of"):
        play(tmp_path)
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"seconds_per_run": [1]}', '{"seconds_per_run": {"six-rankers": {"rucb": 3}}}',
             '{"seconds_per_run": {"six-rankers": {"rucb": ["x", {}, -1]}}, "spec_path": 3}', "[" * 100_000]
)  # fmt: skip
def test_a_manifest_and_a_record_that_make_no_sense_do_no_harm(original, copy, tmp_path, text):
    (copy / "manifest.json").write_text(text)
    (copy / "six-rankers" / "rucb" / "series.json").write_text(text)
    with pytest.raises(UserError, match="names no spec"):
        recorded_spec(copy)
    execution, _ = play(tmp_path)
    assert execution.kept == 24
    assert files(copy) == files(original)
    assert json.loads((copy / "manifest.json").read_text())["spec"]["runs"] == 6


PLANTED = [
    ".lock",
    "manifest.json",
    "summary.csv",
    "six-rankers/d-ts/run-00000.csv",
    "six-rankers/d-ts/series.json",
    ".manifest.json.PID",
    "six-rankers/d-ts/.run-00000.csv.PID",
    "six-rankers/d-ts/.series.json.PID",
]


@pytest.mark.parametrize("name", PLANTED)
def test_a_link_in_the_place_of_a_file_is_not_written_through(tmp_path, name):
    (tmp_path / "precious").write_text("mine")
    link = tmp_path / "out" / name.replace("PID", str(os.getpid()))
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / "precious")
    if name == ".lock":
        with pytest.raises(UserError, match="remove it"):
            play(tmp_path)
    else:
        assert play(tmp_path)[0].played == 24
    assert (tmp_path / "precious").read_text() == "mine"


def test_status_on_the_command_line(copy, tmp_path):
    (copy / "six-rankers" / "rucb" / "run-00001.csv").unlink()
    play(tmp_path)
    text = SPEC.replace("alpha: 0.51", "alpha: 0.6").replace("runs: 6", "runs: 7")
    (tmp_path / "spec.yaml").write_text(text)
    command = [sys.executable, "-c", "from duelbench.cli import main; main()", "status"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for arguments in (["out"], ["spec.yaml", "-o", "out"]):
        done = subprocess.run(
            [*command, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        assert "  rucb  1 missing, 6 stale: alpha 0.51 → 0.6\n" in done.stdout
        assert "  d-ts  6 done, 1 missing\n" in done.stdout
        assert "      12 stale    played again by `duelbench run`" in done.stdout
    assert json.loads((copy / "manifest.json").read_text())["spec_path"] == "../spec.yaml"
    (tmp_path / "spec.yaml").write_text(SPEC.replace("runs: 6", "runs: 600") + "smoke: {runs: 6}\n")
    for arguments in (["out"], ["spec.yaml", "-o", "out"]):
        small = subprocess.run(
            [*command, "--smoke", *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        assert "      24 done     kept by `duelbench run`\n" in small.stdout
        assert "missing" not in small.stdout
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    (tmp_path / "spec.yaml").write_text(SPEC.replace("name: rucb, alpha: 0.51", "name: evil.py:Evil"))
    evil = subprocess.run([*command, "out"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (evil.returncode, "runs code of a file" in evil.stderr) == (2, True)
    assert not (tmp_path / "ran").exists()
    (tmp_path / "spec.yaml").rename(tmp_path / "other.yaml")
    gone = subprocess.run([*command, "out"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (gone.returncode, "which is gone" in gone.stderr) == (2, True)


def test_an_interrupt_stops_everything_at_once(tmp_path):
    process = start(tmp_path, LONG.replace("4e5", "1e9"), "-j", "2")
    wait_for(lambda: (tmp_path / "out" / "mslr5-non-condorcet" / "sparring" / "series.json").exists())
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in said
