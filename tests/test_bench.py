"""``duelbench bench``: what it measures, what it prints, what it refuses."""

import csv

import numpy as np
import pytest
from click.testing import CliRunner

from duelbench.algorithms.catalogue import catalogue
from duelbench.benchmark import timing
from duelbench.benchmark.suite import GROUPS, MIN_GAP, ORDER, Group, instance
from duelbench.benchmark.timing import Timing, time_runs
from duelbench.cli import main
from duelbench.errors import UserError


def bench(*arguments):
    return CliRunner().invoke(main, ["bench", *arguments])


def test_the_suite_has_every_algorithm_and_only_what_there_is():
    named = {name for group in GROUPS.values() for name in group.algorithms}
    assert named == set(catalogue())
    for name in {name for group in GROUPS.values() for name in group.instances if not name.startswith("mslr-")}:
        assert instance(name).arms >= 4


def test_instances():
    order = instance(ORDER)
    assert order.arms == 64
    assert order.condorcet_winner() == 0
    assert order.smallest_gap() == pytest.approx(MIN_GAP)
    assert instance("btl-uniform:7").digest() == instance("btl-uniform:7").digest()
    part = instance("sushi16:8")
    assert part.arms == 8
    assert part.smallest_gap() >= MIN_GAP
    for wrong in ("sushi16:few", "sushi17", "sushi16:17"):
        with pytest.raises(UserError):
            instance(wrong)


def test_a_run_counts_with_its_fastest_repetition_and_horizons_take_turns(monkeypatch):
    asked = []

    def one_run(algorithm, matrix, horizon, run):
        asked.append((run, horizon))
        repeat = asked.count((run, horizon))
        return 0.2 / repeat + run + horizon, timing.Trajectory(None, None, np.array([[5, horizon], [run, 7]]), None)

    monkeypatch.setattr(timing, "_one_run", one_run)
    monkeypatch.setattr(timing, "REPEATS", 4)
    short, long = time_runs(None, None, [10, 20], 2)
    assert asked == [(0, 10), (0, 20), (1, 10), (1, 20)] * 4
    assert short == Timing(10, 2, 10.5, pytest.approx(10.55), pytest.approx(11.05))
    assert long == Timing(20, 2, 20.5, pytest.approx(20.55), pytest.approx(21.05))
    monkeypatch.setattr(timing, "PATIENCE", 0.0)
    asked.clear()
    assert time_runs(None, None, [10], 5)[0].runs == 1
    assert len(asked) == 1


def test_excess_is_that_of_the_target_missed_by_most():
    timings = [Timing(10**6, 1, 1.0, 0.01, 0.01), Timing(10**8, 1, 1.0, 0.05, 0.05)]

    def excess(arms=5, **targets):
        return Group("g", "", (), (), (), **targets).excess(timings, arms)

    assert excess() is None
    assert excess(seconds=0.1) == pytest.approx(0.5)
    assert excess(seconds=0.1, ratio=2.0) == pytest.approx(2.5)
    assert excess(per_round=1.0) == pytest.approx(0.5)
    assert excess(per_round=1.0, arms=20) == pytest.approx(0.125)


def test_a_table_and_a_file(tmp_path):
    file = tmp_path / "times.csv"
    arguments = ("--instance", "cyclic4", "--instance", "btl-uniform:3", "--horizon", "1e3", "--horizon", "2e3")
    done = bench("rucb", "uniform", *arguments, "--runs", "1", "--csv", str(file))
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [(row["algorithm"], row["instance"], row["T"]) for row in rows] == [
        (algorithm, name, horizon)
        for name in ("cyclic4", "btl-uniform:3")
        for algorithm in ("rucb", "uniform")
        for horizon in ("1000", "2000")
    ]
    assert all(float(row["seconds"]) > 0 for row in rows)
    assert float(rows[2]["informative"]) == 1000
    assert [bool(row["ratio"]) for row in rows] == [False, True] * 4
    assert done.output.count("cyclic4") == 4


def test_groups():
    listed = bench("--list")
    assert listed.exit_code == 0
    assert all(f"{name}: " in listed.output for name in GROUPS)
    done = bench("uniform", "--group", "every-duel", "--horizon", "100", "--runs", "1")
    assert done.exit_code == 0, done.output
    assert done.output.count(" met\n") + done.output.count(" missed, ") == 4
    assert "sparring" not in done.output


def test_an_instance_of_the_suite_that_is_not_here_is_left_out(monkeypatch):
    group = Group("arms", "title", ("uniform",), ("nowhere", "cyclic4"), (100,))
    monkeypatch.setitem(GROUPS, "arms", group)
    done = bench("--group", "arms", "--runs", "1")
    assert done.exit_code == 0
    assert "nowhere is left out: unknown dataset" in done.output
    assert "cyclic4" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rucbb",), "did you mean"),
        (("--group", "army"), "unknown group 'army'"),
        (("--group", "arms", "--instance", "cyclic4"), "give --group or --instance"),
        (("uniform", "--group", "arms"), "no group of the suite"),
        (("--horizon", "0.5"), "whole number"),
        (("--horizon", "inf"), "whole number"),
        (("rucb", "--instance", "nowhere"), "unknown dataset"),
    ],
)
def test_mistakes(arguments, message):
    done = bench(*arguments)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output
