"""Old and new numbers never lie side by side, and nothing is written through a link."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.errors import UserError
from duelbench.runs.backends import local
from duelbench.runs.execute import execute
from duelbench.runs.status import leftovers, status
from tests.experiments import ONES_OWN, SMALL, files, nothing, planned, played


def test_nothing_is_written_when_nothing_is_missing_but_summary_and_manifest(copy, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*/*/*")}
    _, _, execution, said = played(tmp_path, SMALL)
    assert (execution.kept, execution.played, said) == (24, 0, [])
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*/*/*")} == before


CHANGES = [
    ("alpha: 0.51", "alpha: 0.6", {"rucb": ("alpha 0.51 → 0.6",)}),
    ("seed: 5", "seed: 6", {"rucb": ("seed 5 → 6",), "btm": ("seed 5 → 6",)}),
    ("runs: 6\nseed: 5", "seeds: [1, 2]", {"rucb": ("seed 5 → none",), "btm": ("seed 5 → none",)}),
    ("horizon: 3e3", "horizon: 4e3", {"rucb": ("rows", "checkpoints"), "btm": ("rows", "checkpoints")}),
    ("[six-rankers,", "[{name: arithmetic8, label: six-rankers},", {"rucb": ("matrix",), "btm": ("matrix",)}),
    ("seed: 5", "seed: 5\nshuffle_arms: false", dict.fromkeys(("rucb", "btm"), ("shuffle_arms true → false",))),
    ("seed: 5", "seed: 5\nregret: borda", dict.fromkeys(("rucb", "btm"), ('regret ["copeland"] → ["borda"]',))),
]


@pytest.mark.parametrize(("old", "new", "reasons"), CHANGES)
def test_a_change_is_explained_and_old_and_new_numbers_never_lie_side_by_side(copy, tmp_path, old, new, reasons):
    text = SMALL.replace(old, new)
    assert text != SMALL
    found = {each.series.labels: (each.counts, each.reasons) for each in status(planned(tmp_path, text), copy)}
    for label in ("rucb", "btm"):
        states, why = found["six-rankers", label]
        assert ("stale" in states) == (label in reasons)
        assert why == reasons.get(label, ())

    class Enough(Exception):
        pass

    def stop_at_the_first_run(done, total):
        raise Enough

    plan = planned(tmp_path, text)
    with pytest.raises(Enough):
        execute(plan, copy, local(0), announce=nothing, progress=stop_at_the_first_run)
    assert not (copy / "summary.csv").exists()
    first = next(iter(reasons))
    series = next(each for each in plan.series if each.algorithm.label == first)
    valid = {plan.run(series, number).key for number in range(plan.runs)}
    there = [path.read_text().split()[3] for path in (copy / "six-rankers" / first).glob("run-*")]
    assert len(there) >= 1
    assert set(there) <= valid
    played(tmp_path, text)
    played(tmp_path, text, into="fresh")
    assert {path: data for path, data in files(copy).items() if path in files(tmp_path / "fresh")} == files(
        tmp_path / "fresh"
    )


def test_run_says_what_is_stale(copy, tmp_path):
    said = played(tmp_path, SMALL.replace("alpha: 0.51", "alpha: 0.6")).said
    assert said == [
        f"{dataset}/rucb: 6 runs are stale (alpha 0.51 → 0.6)" for dataset in ("six-rankers", "btl-uniform")
    ]


def test_series_that_the_spec_has_no_more_are_named_and_left_alone(copy, tmp_path):
    text = SMALL.replace(", btm]", "]")
    assert [path.relative_to(copy) for path in leftovers(planned(tmp_path, text), copy)] == [
        Path("btl-uniform/btm"),
        Path("six-rankers/btm"),
    ]
    before = files(copy)
    played(tmp_path, text)
    assert {path: data for path, data in files(copy).items() if path.name != "summary.csv"} == {
        path: data for path, data in before.items() if path.name != "summary.csv"
    }


def test_what_a_killed_process_was_writing_is_removed(copy, tmp_path):
    for place in ("six-rankers/rucb/.run-00001.csv.123", "btl-uniform/btm/.run-00002.failed.99"):
        (copy / place).write_text("half")
    (copy / "btl-uniform/btm/run-00002.csv").unlink()
    assert played(tmp_path, SMALL).execution.played == 1
    assert not list(copy.rglob(".run-*"))


BAD = """
from typing import NamedTuple
from duelbench.algorithms import Algorithm
from duelbench.compiling.jit import kernel
class BadState(NamedTuple):
    arms: int
@kernel
def select(state, t, last, rng): return state.nowhere, 0, 1
@kernel
def update(state, first, second, wins, count): pass
class Bad(Algorithm):
    name = "bad"
    State = BadState
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon): return BadState(arms)
"""


def test_results_are_kept_when_an_algorithm_of_ones_own_does_not_compile(copy, tmp_path):
    """What is stale goes when its series begins, and not before everything is known to compile."""
    (tmp_path / "bad.py").write_text(BAD)
    before = files(copy)
    with pytest.raises(UserError, match="does not compile"):
        played(tmp_path, SMALL.replace("0.51", "0.6").replace(", btm]", ", btm, 'bad.py:Bad']"))
    assert files(copy) == before


TINY = "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform, btm]\n"
PLANTED = [
    ".lock",
    "manifest.json",
    "summary.csv",
    "six-rankers/btm/run-00000.csv",
    "six-rankers/btm/series.json",
    ".manifest.json.PID",
    "six-rankers/btm/.run-00000.csv.PID",
    "six-rankers/btm/.series.json.PID",
]


@pytest.mark.parametrize("name", PLANTED)
def test_a_link_in_the_place_of_a_file_is_not_written_through(tmp_path, name):
    (tmp_path / "precious").write_text("mine")
    link = tmp_path / "out" / name.replace("PID", str(os.getpid()))
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / "precious")
    if name == ".lock":
        with pytest.raises(UserError, match="remove it"):
            played(tmp_path, TINY)
    else:
        assert played(tmp_path, TINY).execution.played == 2
    assert (tmp_path / "precious").read_text() == "mine"


TWO_SERIES = "horizon: 10\nruns: 20\ndatasets: [six-rankers, cyclic4]\nalgorithms: ['one.py:One']\n"


def removing(tmp_path, at, names):
    """A progress function that removes files once so many rounds are done."""

    def progress(done, total):
        if done >= at:
            for name in names:
                (tmp_path / "out" / name).unlink(missing_ok=True)

    return progress


FIRST = [f"six-rankers/One/run-{number:05d}.csv" for number in range(6)]


@pytest.mark.parametrize(
    ("at", "names"),
    [(10, FIRST[:1]), (200, FIRST), (400, FIRST)],
    ids=["while its series is played", "when it has been summarised", "when everything is played"],
)
def test_files_that_vanish_while_others_are_played_leave_no_summary(tmp_path, at, names):
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "pass"))
    execution = played(tmp_path, TWO_SERIES, progress=removing(tmp_path, at, names)).execution
    assert execution.gone == [tmp_path / "out" / name for name in names]
    assert not (tmp_path / "out" / "summary.csv").exists()
    again = played(tmp_path, TWO_SERIES).execution
    assert (again.played, again.gone) == (len(names), [])
    _, *lines = (tmp_path / "out" / "summary.csv").read_text().splitlines()
    assert {line.split(",")[4] for line in lines} == {"20"}


def test_files_that_are_damaged_while_others_are_played_leave_no_summary(tmp_path):
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "pass"))

    def damage(done, total):
        if 10 <= done < 200:
            (tmp_path / "out" / FIRST[0]).write_text("")

    execution = played(tmp_path, TWO_SERIES, progress=damage).execution
    assert execution.gone == [tmp_path / "out" / FIRST[0]]


def test_files_that_vanish_when_nothing_is_played_leave_no_summary(tmp_path):
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "pass"))
    played(tmp_path, TWO_SERIES)
    assert played(tmp_path, TWO_SERIES, progress=removing(tmp_path, 400, FIRST)).execution.gone
    assert not (tmp_path / "out" / "summary.csv").exists()


def test_a_run_that_failed_is_not_gone_and_the_command_says_what_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", "assert rng.random() < 0.97, state.arms"))
    done = played(tmp_path, TWO_SERIES).execution
    assert done.failures
    assert done.gone == []
    assert (tmp_path / "out" / "summary.csv").exists()
    vanish = "import pathlib; [p.unlink() for p in pathlib.Path('out').rglob('run-00003.csv')]"
    (tmp_path / "one.py").write_text(ONES_OWN.replace("DO", f"if rng.random() < 0.5: exec({vanish!r})"))
    command = CliRunner().invoke(main, ["run", "spec.yaml", "-o", "out", "-j", "0"])
    assert command.exit_code == 1
    assert "run-00003.csv, so there is no summary: see to it and repeat the command" in command.output
    assert not (tmp_path / "out" / "summary.csv").exists()
