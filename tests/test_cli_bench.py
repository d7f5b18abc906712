"""``duelbench bench``: what it measures, what it prints, what it refuses."""

import csv

import pytest
from click.testing import CliRunner

from duelbench.benchmark.suite import GROUPS, Group, suite
from duelbench.cli import main


def bench(*arguments):
    return CliRunner().invoke(main, ["bench", *arguments])


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
    assert all(f"{group.name}: {group.title}" in listed.output for group in suite())
    done = bench("uniform", "--group", "every-duel", "--horizon", "100", "--runs", "1")
    assert done.exit_code == 0, done.output
    assert done.output.count(" met\n") + done.output.count(" missed, ") == 4
    assert "sparring" not in done.output


def test_further_cases_of_a_group_are_measured_with_it(monkeypatch):
    further = Group("arms", "of a target of its own", ("uniform",), ("cyclic4",), (200,), per_duel=1e9)
    monkeypatch.setitem(GROUPS, "arms", Group("arms", "title", ("uniform",), ("cyclic4",), (100,), also=(further,)))
    done = bench("--group", "arms", "--runs", "1")
    assert done.exit_code == 0, done.output
    assert "of a target of its own, T = 2e+02; at most 1e+09 ns an informative duel" in done.output
    assert done.output.count(" met\n") == 1
    assert done.output.count("  uniform ") == 2
    other = bench("--group", "arms", "--runs", "1", "--horizon", "50")  # for which there are no targets
    assert other.output.count("  uniform ") == 2
    assert " met\n" not in other.output


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
