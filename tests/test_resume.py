"""Finished runs are kept, others are played, and old and new numbers never mix."""

import shlex
import shutil
import subprocess

import pytest

from duelbench.errors import UserError
from duelbench.experiment.backends import local
from duelbench.experiment.execute import execute
from duelbench.results.results import Results
from tests.commands import here
from tests.experiments import SMALL, VARIED, files, own_algorithm, planned, played


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    plan, directory, execution, said = played(tmp_path_factory.mktemp("original"), VARIED)
    assert (execution.played, execution.reused, execution.failures, said) == (6 * 8, 0, [], [])
    return plan, directory


def test_workers_give_the_same_bytes(original, tmp_path):
    parallel = played(tmp_path, VARIED, workers=2)
    assert parallel.execution.played == 48
    assert files(parallel.directory) == files(original[1])


@pytest.fixture
def resumed(original, tmp_path):
    """A copy of the original results in ``out``, to resume."""
    return shutil.copytree(original[1], tmp_path / "out")


def test_missing_foreign_and_damaged_runs(original, resumed, tmp_path):
    (resumed / "six-rankers" / "d-ts" / "run-00002.csv").unlink()
    (resumed / "six-rankers" / "d-ts" / "run-00002.failed").write_text("# duelbench run 0\nas once before")
    (resumed / "six-rankers" / "btm" / "run-00001.csv").write_text("# duelbench run 0\nt,copeland\n1,99\n")
    (resumed / "btl-uniform" / "btm" / "run-00003.csv").write_bytes(b"\xff\xfe")
    execution = played(tmp_path, VARIED).execution
    assert (execution.reused, execution.played) == (45, 3)
    assert files(resumed) == files(original[1])
    assert not list(resumed.rglob("*.failed"))


# Torn files


TEARS = {
    "empty": lambda text: b"",
    "half": lambda text: text[: len(text) // 2],
    "a digit": lambda text: text[:-3] + bytes([text[-3] ^ 1]) + text[-2:],
    "only its first line": lambda text: text[: text.find(b"\n") + 1],
}


@pytest.mark.parametrize("tear", TEARS.values(), ids=TEARS)
def test_torn_file(small, copy, tmp_path, tear):
    torn = copy / "six-rankers" / "btm" / "run-00002.csv"
    torn.write_bytes(tear(torn.read_bytes()))
    (waiting,) = Results(copy, planned(tmp_path, SMALL)).open()
    assert (waiting.series.labels, list(waiting.missing)) == (("six-rankers", "btm"), [2])
    execution = played(tmp_path, SMALL).execution
    assert (execution.reused, execution.played) == (23, 1)
    assert files(copy) == files(small)


# Changes


def test_nothing_missing(copy, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*/*/*")}
    _, _, execution, said = played(tmp_path, SMALL)
    assert (execution.reused, execution.played, said) == (24, 0, [])
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*/*/*")} == before


CHANGES = [
    ("alpha: 0.51", "alpha: 0.6", {"rucb": ("alpha 0.51 → 0.6",)}),
    ("seed: 5", "seed: 6", {"rucb": ("seed 5 → 6",), "btm": ("seed 5 → 6",)}),
    ("runs: 6\nseed: 5", "seeds: [1, 2]", {"rucb": ("seed 5 → none",), "btm": ("seed 5 → none",)}),
    ("horizon: 3e3", "horizon: 4e3", {"rucb": ("horizon 3000 → 4000",), "btm": ("horizon 3000 → 4000",)}),
    ("[six-rankers,", "[{name: arithmetic8, label: six-rankers},", {"rucb": ("matrix",), "btm": ("matrix",)}),
    ("seed: 5", "seed: 5\nfeedback: {delay: 50}", dict.fromkeys(("rucb", "btm"), ("delay 1 → 50",))),
    ("seed: 5", "seed: 5\nregret: borda", dict.fromkeys(("rucb", "btm"), ('regret ["copeland"] → ["borda"]',))),
]


@pytest.mark.parametrize(("old", "new", "reasons"), CHANGES)
def test_changed_spec(copy, tmp_path, old, new, reasons):
    text = SMALL.replace(old, new)
    assert text != SMALL
    found = {
        each.series.labels: (each.counts, each.reasons) for each in Results(copy, planned(tmp_path, text)).status()
    }
    for label in ("rucb", "btm"):
        states, why = found["six-rankers", label]
        assert ("out of date" in states) == (label in reasons)
        assert why == reasons.get(label, ())


@pytest.mark.parametrize(("old", "new", "reasons"), CHANGES[:2])
def test_changed_runs_are_replaced(copy, tmp_path, old, new, reasons):
    text = SMALL.replace(old, new)
    plan, said = planned(tmp_path, text), []
    before = [each.counts.get("done", 0) for each in Results(copy, plan).status()]

    class Enough(Exception):
        pass

    def stop_at_the_first_run(*_):
        raise Enough

    with pytest.raises(Enough):
        execute(plan, copy, local(0), announce=said.append, progress=stop_at_the_first_run)
    assert not (copy / "summary.csv").exists()
    first = next(iter(reasons))
    series = next(each for each in plan.series if each.algorithm.label == first)
    valid = {series.key(number) for number in range(plan.runs)}
    there = [path.read_text().split()[3] for path in (copy / "six-rankers" / first).glob("run-*")]
    assert len(there) >= 1
    assert set(there) <= valid
    again = played(tmp_path, text)
    said += again.said
    assert again.execution.reused == sum(before) + 1  # the run that was played before the stop
    assert {f"six-rankers/{label}: 6 runs are out of date ({'; '.join(why)})" for label, why in reasons.items()} <= {
        *said
    }
    fresh = files(played(tmp_path, text, into="fresh").directory)
    assert {path: data for path, data in files(copy).items() if path in fresh} == fresh


def test_unfinished_files_are_removed(copy, tmp_path):
    for place in ("six-rankers/rucb/.run-00001.csv.123", "btl-uniform/btm/.run-00002.failed.99"):
        (copy / place).write_text("half")
    (copy / "btl-uniform/btm/run-00002.csv").unlink()
    assert played(tmp_path, SMALL).execution.played == 1
    assert not list(copy.rglob(".run-*"))


def test_results_kept_if_compiling_fails(copy, tmp_path, monkeypatch):
    """If compiling fails, stale results are kept: they are removed only when their series begins."""

    def warm(plays, announce):
        raise UserError("this does not compile")

    monkeypatch.setattr("duelbench.experiment.execute.warm", warm)
    before = files(copy)
    with pytest.raises(UserError, match="does not compile"):
        played(tmp_path, SMALL.replace("0.51", "0.6"))
    assert files(copy) == before


TINY = "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform, btm]\n"
PLANTED = [
    ".lock",
    "manifest.json",
    "summary.csv",
    "six-rankers/btm/run-00000.csv",
    "six-rankers/btm/series.json",
]


@pytest.mark.parametrize("name", PLANTED)
def test_links_are_not_written_through(tmp_path, name):
    (tmp_path / "precious").write_text("mine")
    link = tmp_path / "out" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / "precious")
    if name == ".lock":
        with pytest.raises(UserError, match="remove it"):
            played(tmp_path, TINY)
    else:
        assert played(tmp_path, TINY).execution.played == 2
    assert (tmp_path / "precious").read_text() == "mine"


TWO_SERIES = "horizon: 10\nruns: 20\ndatasets: [six-rankers, cyclic4]\nalgorithms: ['one.py:One']\n"


def removing(tmp_path, at, names, damaged=False):
    """A progress function that removes or damages files after a number of rounds."""

    def progress(done, *_):
        for name in names if at <= done < (200 if damaged else 1000) else ():
            path = tmp_path / "out" / name
            path.write_text("") if damaged else path.unlink(missing_ok=True)

    return progress


FIRST = [f"six-rankers/One/run-{number:05d}.csv" for number in range(6)]


@pytest.mark.parametrize(
    ("at", "names", "damaged"),
    [(10, FIRST[:1], False), (10, FIRST[:1], True), (200, FIRST, False), (400, FIRST, False)],
    ids=["while its series is played", "damaged", "when it has been summarised", "when everything is played"],
)
def test_files_vanish(tmp_path, at, names, damaged):
    (tmp_path / "one.py").write_text(own_algorithm(name="One"))
    execution = played(tmp_path, TWO_SERIES, progress=removing(tmp_path, at, names, damaged)).execution
    assert execution.gone == [tmp_path / "out" / name for name in names]
    assert not (tmp_path / "out" / "summary.csv").exists()
    again = played(tmp_path, TWO_SERIES).execution
    assert (again.played, again.gone) == (len(names), [])
    _, *lines = (tmp_path / "out" / "summary.csv").read_text().splitlines()
    assert {line.split(",")[4] for line in lines} == {"20"}
    assert played(tmp_path, TWO_SERIES, progress=removing(tmp_path, 400, names)).execution.gone  # nothing is played
    assert not (tmp_path / "out" / "summary.csv").exists()


# Labels that change


OTHER = SMALL.replace("label: rucb}", "label: mine, title: Mine}").replace("arms: 4}", "arms: 4, label: random}")


def how_to_keep(directory, *pairs):
    return [f"{new} is a new label; to keep the runs of the old one: mv {directory / old} {directory / new}"
            for old, new in pairs]  # fmt: skip


def test_new_label(small, copy, tmp_path):
    """The commands that rename directories are printed; once they are run, the runs belong to the new labels."""
    plan = planned(tmp_path, OTHER)
    assert Results(copy, plan).how_to_rename() == how_to_keep(
        copy, ("six-rankers/rucb", "six-rankers/mine"), ("btl-uniform", "random")
    )
    assert not Results(copy, plan).leftovers()
    said = here("status", tmp_path / "spec.yaml", "-o", copy).output
    assert f"mv {copy / 'btl-uniform'} {copy / 'random'}\n" in said
    for line in Results(copy, plan).how_to_rename():
        subprocess.run(shlex.split(line.rpartition(": ")[2]), check=True)
    assert Results(copy, plan).how_to_rename() == how_to_keep(copy, ("random/rucb", "random/mine"))
    (copy / "random" / "rucb").rename(copy / "random" / "mine")
    _, _, execution, said = played(tmp_path, OTHER)
    assert (execution.reused, execution.played, said) == (24, 0, [])


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (("decade: 20", "decade: 5"), {"btm"}),  # its blocks end at checkpoints
        (("3e3", "1e3"), {"btm", "rex3", "select"}),  # they use the horizon, or declare a winner
        (("[500, 900]", "[900]"), set()),
    ],
)
def test_rows_of_wider_runs_are_reused(tmp_path, change, again):
    """With fewer checkpoints, a shorter horizon or fewer horizons, existing rows are reused."""
    wide = """\
horizon: 3e3
runs: 3
checkpoints_per_decade: 20
datasets: [six-rankers]
algorithms: [rucb, d-ts, btm, rex3, select, {name: rex3, horizons: [500, 900], label: separate}]
"""
    played(tmp_path, wide)
    narrow = wide.replace(*change)
    _, directory, execution, _ = played(tmp_path, narrow)
    assert (execution.played, execution.reused) == (3 * len(again), 3 * (6 - len(again)))
    alone = played(tmp_path, narrow, into="alone").directory
    assert (directory / "summary.csv").read_bytes() == (alone / "summary.csv").read_bytes()
    back = played(tmp_path, wide).execution
    assert back.played == 3 * len(again)
