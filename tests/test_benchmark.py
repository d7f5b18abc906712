"""``duelbench bench``: measurements, comparisons, targets and errors. No test asserts speed."""

import csv

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.benchmark import suite as suite_module
from duelbench.benchmark.earlier import Case, Comparison, Earlier, Measurement, compared, overall, read_measurement
from duelbench.benchmark.suite import GROUPS, MIN_GAP, ORDER, Group, Timing, instance, suite, time_runs
from duelbench.errors import UserError
from tests.commands import here

HOW = ("programs", "stepping", "compiling")
ARGUMENTS = ("rucb", "uniform", "--instance", "cyclic4", "--horizon", "1e4", "--horizon", "2e5", "--runs", "2")


def bench(*arguments):
    return here("bench", *arguments)


def test_suite_names():
    named = {name for group in suite() for name in group.algorithms}
    assert named == set(catalogue())
    for name in {name for group in suite() for name in group.instances if not name.startswith("mslr-")}:
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


def test_excess():
    timings = [Timing(10**6, 1, 1e4, 0.01, 0.01), Timing(10**8, 1, 1e5, 0.05, 0.05)]

    def excess(arms=5, **targets):
        return Group("g", "", (), (), (), **targets).excess(timings, arms, 1e-9)

    assert excess() is None
    assert excess(per_run=1e8) == pytest.approx(0.5)
    assert excess(per_run=1e8, ratio=2.0) == pytest.approx(2.5)
    assert excess(per_round=1.0) == pytest.approx(0.5)
    assert excess(per_round=1.0, arms=20) == pytest.approx(0.125)
    assert excess(per_duel=1000.0) == pytest.approx(1.0)  # at the first horizon
    assert excess(per_duel=250.0) == pytest.approx(4.0)
    assert Group("g", "", (), (), (), per_run=1e6).excess(timings, 5, 1e-7) == pytest.approx(0.5)  # a slower machine


def test_how_a_group_is_timed(monkeypatch):
    seen = []
    monkeypatch.setattr(suite_module, "_compiling", lambda algorithm: 7.0)
    monkeypatch.setattr(suite_module, "rollout", lambda *how: seen.append(how[-1].stepping))
    times = [suite_module._one_run(None, instance("cyclic4"), 10, 0, GROUPS[name].how)[0] for name in HOW]
    assert seen == [False, True, False] and times[2] == 7.0 > max(times[:2])
    cases = {Case(name, "select", "cyclic4", 10): Earlier(2, 1, 1.0, 1.0) for name in HOW}
    assert [group.how for group, _ in Measurement(cases, "", "").groups((), ())] == ["", "stepping", "compiling"]


@pytest.mark.slow
def test_compiling_takes_time():
    assert suite_module._compiling(catalogue()["knockout"]()) > 0.1


def test_fastest_repetition_counts(monkeypatch):
    asked = []

    def one_run(algorithm, matrix, horizon, run, how):
        asked.append((run, horizon))
        repeat = asked.count((run, horizon))
        return 0.2 / repeat + run + horizon, suite_module.Trajectory(
            None, None, np.array([[5, horizon], [run, 7]]), None
        )

    monkeypatch.setattr(suite_module, "_one_run", one_run)
    monkeypatch.setattr(suite_module, "_REPEATS", 4)
    short, long = time_runs(None, None, [10, 20], 2)
    assert asked == [(0, 10), (0, 20), (1, 10), (1, 20)] * 4
    assert short == Timing(10, 2, 10.5, pytest.approx(10.55), pytest.approx(11.05))
    assert long == Timing(20, 2, 20.5, pytest.approx(20.55), pytest.approx(21.05))
    monkeypatch.setattr(suite_module, "_PATIENCE", 0.0)
    asked.clear()
    assert time_runs(None, None, [10], 5)[0].runs == 1
    assert len(asked) == 1
    asked.clear()
    assert time_runs(None, None, [10], 5, complete=True)[0].runs == 5
    assert asked == [(run, 10) for run in range(5)]


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
    assert done.output.startswith("a step (a uniform double, a binomial draw and a pass over 64 numbers) takes ")


def test_further_cases_of_a_group(monkeypatch):
    further = Group("arms", "of a target of its own", ("uniform",), ("cyclic4",), (200,), per_duel=1e9)
    monkeypatch.setitem(GROUPS, "arms", Group("arms", "title", ("uniform",), ("cyclic4",), (100,), also=(further,)))
    done = bench("--group", "arms", "--runs", "1")
    assert done.exit_code == 0, done.output
    assert "of a target of its own, T = 2e+02; at most 1e+09 steps an informative duel" in done.output
    assert done.output.count(" met\n") == 1
    assert done.output.count("  uniform ") == 2
    other = bench("--group", "arms", "--runs", "1", "--horizon", "50")  # for which there are no targets
    assert other.output.count("  uniform ") == 2
    assert " met\n" not in other.output


def test_missing_instance_is_left_out(monkeypatch):
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
        (("--horizon", "inf"), "out of range: write one from 1 to 1,000,000,000,000"),
        (("rucb", "--instance", "nowhere"), "unknown dataset"),
    ],
)
def test_mistakes(arguments, message):
    done = bench(*arguments)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    file = tmp_path_factory.mktemp("bench") / "old.csv"
    assert bench(*ARGUMENTS, "--csv", file).exit_code == 0
    return file


def changed(written, path, change):
    """Rewrite a table with ``change`` applied to each row (a dict)."""
    rows = list(csv.DictReader(written.read_text().splitlines()))
    for row in rows:
        change(row)
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return path


def scale(factor, **more):
    def change(row):
        row["seconds"] = repr(float(row["seconds"]) * factor)
        row.update(more)

    return change


def test_against(written, tmp_path):
    done = bench("--against", written, "--slower", "1e6", "--csv", tmp_path / "new.csv")
    assert done.exit_code == 0, done.output
    old, new = (list(csv.DictReader(file.read_text().splitlines())) for file in (written, tmp_path / "new.csv"))
    names = ["group", "algorithm", "instance", "arms", "T", "runs", "informative", "machine", "version"]
    assert [[row[name] for name in names] for row in new] == [[row[name] for name in names] for row in old]
    assert done.output.count("cyclic4") == 4
    assert "4 cases take " in done.output
    assert "slower than 1e+06 ×: 0" in done.output
    assert "(other duels" not in done.output
    assert "fair" not in done.output


def test_slower(written, tmp_path):
    def only_rucb(row):
        scale(1e-4 if row["algorithm"] == "rucb" else 1e4)(row)

    done = bench("--against", changed(written, tmp_path / "old.csv", only_rucb))
    assert done.exit_code == 1
    lines = [line for line in done.output.splitlines() if "cyclic4" in line]
    assert [line.endswith("slower") for line in lines] == [True, True, False, False]
    assert "slower than 1.2 ×: 2" in done.output
    done = bench("uniform", "--against", tmp_path / "old.csv")
    assert done.exit_code == 0
    assert "rucb" not in done.output


def test_another_machine(written, tmp_path):
    changes = {"machine": "a faster one", "version": "duelbench 0.1.0", "informative": "17.5"}
    other = changed(written, tmp_path / "other.csv", scale(1e-4, **changes))
    done = bench("rucb", "--against", other)
    assert done.exit_code == 0
    assert "the comparison is not fair: the file was made on a faster one; this is " in done.output
    assert "then: duelbench 0.1.0\nnow:  duelbench " in done.output
    assert done.output.count("(other duels than before)") == 2

    unknown = changed(written, tmp_path / "unknown.csv", scale(1e-4))
    lines = [line.split(",") for line in unknown.read_text().splitlines()]
    unknown.write_text("".join(",".join(line[:12]) + "\n" for line in lines))  # as before these columns existed
    done = bench("rucb", "--against", unknown)
    assert done.exit_code == 0
    assert "does not name its machine" in done.output


def test_slower_is_measured_again():
    cases = {Case("g", "rucb", "cyclic4", T): Earlier(2, 1, 5.0, 1.0) for T in (10, 100)}
    seconds = iter([(1.0, 1.5), (0.9, 1.1), (9.0, 9.0)])
    shown = []

    def measure(group, runs):
        for T, value in zip((10, 100), next(seconds), strict=True):
            yield {**Case("g", "rucb", "cyclic4", T)._asdict(), "seconds": value, "informative": 5.0, "ratio": None}

    earlier = Measurement(cases, "", "")
    found, rows = compared(earlier, list(earlier.groups((), ())), measure, 1.2, shown.append)
    assert [each.ratio for each in found] == [0.9, 1.1]
    assert shown == found
    assert [row["seconds"] for row in rows] == [0.9, 1.1]
    seconds = iter([(1.0, 1.5), (1.3, 1.4), (1.3, 1.3), (1.0, 1.0)])
    assert [each.ratio for each in compared(earlier, list(earlier.groups((), ())), measure, 1.2, print)[0]] == [
        1.0,
        1.3,
    ]
    assert next(seconds) == (1.0, 1.0)  # three times, not four


def test_geometric_mean():
    def ratio(value):
        return Comparison(Case("g", "a", "i", 1), Earlier(2, 1, 1.0, 2.0), 2.0 * value, 1.0)

    total = overall([ratio(2.0), ratio(0.5), ratio(1.0)])
    assert (total.cases, total.ratio, total.spread) == (3, pytest.approx(1.0), pytest.approx(2.0))
    assert overall([ratio(3.0)]).spread == 1.0


HEADER = "group,algorithm,instance,T,runs,informative,seconds\n"
LINE = "asked,rucb,cyclic4,1000,2,50.5,0.001\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEADER.replace(",runs", "") + LINE, None, "has no column 'runs'"),
        (HEADER, None, "has no line below its header"),
        (HEADER + LINE.replace("0.001", "fast"), 2, "seconds must be a number, not 'fast'"),
        (HEADER + LINE.replace("0.001", "nan"), 2, "seconds must be between 1e-09 and 1e+09, not 'nan'"),
        (HEADER + LINE.replace("1000", "10.5"), 2, "T must be a whole number, not '10.5'"),
        (HEADER + LINE.replace("rucb", "rucbb"), 2, "algorithm: unknown algorithm 'rucbb' (did you mean 'rucb'?)"),
        (HEADER + LINE.replace("cyclic4", ""), 2, "instance must not be empty, not ''"),
        (HEADER + LINE + LINE, 3, "T: this case is already in line 2"),
    ],
)
def test_refused_file(tmp_path, text, line, message):
    file = tmp_path / "old.csv"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        read_measurement(file)
    assert message in caught.value.message
    assert (caught.value.source, caught.value.line) == (str(file), line)


def test_wrong_use_of_against(written, tmp_path):
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "nowhere.csv").write_text(HEADER + LINE.replace("cyclic4", "nowhere"))
    for arguments, message in (
        (("--against", tmp_path / "none.csv"), "cannot be read (No such file"),
        (("--against", tmp_path / "binary.csv"), "cannot be read"),
        (("--against", written, "--runs", "3"), "measures the cases of its file"),
        (("--against", written, "--slower", "0.5"), "0.5 is not in the range"),
        (("--slower", "2"), "--slower belongs to --against"),
        (("rmed1", "--against", written), "the file has no algorithm 'rmed1'"),
        (("--group", "arms", "--against", written), "the file has no group 'arms'"),
        (("--against", tmp_path / "nowhere.csv"), "unknown dataset 'nowhere'"),
    ):
        done = bench(*arguments)
        assert done.exit_code == 2, arguments
        assert message in done.output
        assert "Traceback" not in done.output
