"""``duelbench bench --against``: what became slower, what is no fair comparison, and files that nobody wrote so."""

import csv

import pytest
from click.testing import CliRunner

from duelbench.benchmark import against
from duelbench.benchmark.against import Case, Comparison, Earlier, compared, overall, read_measurement
from duelbench.cli import main
from duelbench.errors import UserError

ARGUMENTS = ("rucb", "uniform", "--instance", "cyclic4", "--horizon", "1e4", "--horizon", "2e5", "--runs", "2")


def bench(*arguments):
    return CliRunner().invoke(main, ["bench", *map(str, arguments)])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    file = tmp_path_factory.mktemp("bench") / "old.csv"
    assert bench(*ARGUMENTS, "--csv", file).exit_code == 0
    return file


def changed(written, path, change):
    """Write the file anew, each row (a dict) as ``change`` leaves it."""
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


def test_the_same_cases_are_measured_and_written(written, tmp_path):
    done = bench("--against", written, "--slower", "30", "--csv", tmp_path / "new.csv")
    assert done.exit_code == 0, done.output
    old, new = (list(csv.DictReader(file.read_text().splitlines())) for file in (written, tmp_path / "new.csv"))
    names = ["group", "algorithm", "instance", "arms", "T", "runs", "informative", "machine", "version"]
    assert [[row[name] for name in names] for row in new] == [[row[name] for name in names] for row in old]
    assert done.output.count("cyclic4") == 4
    assert "4 cases take " in done.output
    assert "slower than 30 ×: 0" in done.output
    assert "(other duels" not in done.output
    assert "fair" not in done.output


def test_what_is_slower_is_said_and_is_the_exit_code(written, tmp_path):
    def only_rucb(row):
        scale(0.01 if row["algorithm"] == "rucb" else 100.0)(row)

    done = bench("--against", changed(written, tmp_path / "old.csv", only_rucb))
    assert done.exit_code == 1
    lines = [line for line in done.output.splitlines() if "cyclic4" in line]
    assert [line.endswith("slower") for line in lines] == [True, True, False, False]
    assert "slower than 1.2 ×: 2" in done.output
    done = bench("uniform", "--against", tmp_path / "old.csv")
    assert done.exit_code == 0
    assert "rucb" not in done.output


def test_another_machine_is_no_fair_comparison(written, tmp_path):
    other = changed(written, tmp_path / "other.csv", scale(0.01, machine="a faster one", version="duelbench 0.1.0"))
    done = bench("rucb", "--against", other)
    assert done.exit_code == 0
    assert "No fair comparison: the file was made on a faster one; this is " in done.output
    assert "then: duelbench 0.1.0\nnow:  duelbench " in done.output
    assert done.output.count("  slower\n") == 2

    unknown = changed(written, tmp_path / "unknown.csv", scale(0.01))
    lines = [line.split(",") for line in unknown.read_text().splitlines()]
    unknown.write_text("".join(",".join(line[:12]) + "\n" for line in lines))  # as before these columns
    done = bench("rucb", "--against", unknown)
    assert done.exit_code == 0
    assert "does not say on which machine" in done.output


def test_other_duels_are_other_work(written, tmp_path):
    other = changed(written, tmp_path / "other.csv", lambda row: row.update(informative="17.5"))
    done = bench("rucb", "--against", other, "--slower", "30")
    assert done.output.count("(other duels than then)") == 2


def test_what_seems_slower_is_measured_again_and_its_fastest_time_counts():
    cases = {Case("g", "rucb", "cyclic4", T): Earlier(2, 1, 5.0, 1.0) for T in (10, 100)}
    seconds = iter([(1.0, 1.5), (0.9, 1.1), (9.0, 9.0)])
    shown = []

    def measure(group, runs):
        for T, value in zip((10, 100), next(seconds), strict=True):
            yield {**Case("g", "rucb", "cyclic4", T)._asdict(), "seconds": value, "informative": 5.0, "ratio": None}

    earlier = against.Measurement(cases, "", "")
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


def test_overall_is_the_geometric_mean():
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
        ("", None, "has no column 'group'"),
        ("t,copeland\n1,0.5\n", None, "has no column 'group'"),
        (HEADER.replace(",runs", "") + LINE, None, "has no column 'runs'"),
        (HEADER, None, "has no line below its header"),
        (HEADER + LINE.replace("0.001", "fast"), 2, "seconds must be a number, not 'fast'"),
        (HEADER + LINE.replace("0.001", "nan"), 2, "seconds must be between 1e-09 and 1e+09, not 'nan'"),
        (HEADER + LINE.replace("0.001", "0"), 2, "seconds must be between 1e-09 and 1e+09, not '0'"),
        (HEADER + LINE.replace("0.001", ""), 2, "seconds must be a number, not ''"),
        (HEADER + "asked,rucb,cyclic4,1000\n", 2, "runs must be a number, not None"),
        (HEADER + LINE.replace("1000", "10.5"), 2, "T must be a whole number, not '10.5'"),
        (HEADER + LINE.replace("1000", "-1"), 2, "T must be between 1 and 1e+12, not '-1'"),
        (HEADER + LINE.replace("rucb", "rucbb"), 2, "algorithm: unknown algorithm 'rucbb' (did you mean 'rucb'?)"),
        (HEADER + LINE.replace("cyclic4", ""), 2, "instance must not be empty, not ''"),
        (HEADER + LINE + LINE, 3, "T: this case stands in line 2 already"),
    ],
)
def test_a_file_that_is_none_is_refused_with_the_cell(tmp_path, text, line, message):
    file = tmp_path / "old.csv"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        read_measurement(file)
    assert message in caught.value.message
    assert (caught.value.source, caught.value.line) == (str(file), line)
    done = bench("--against", file)
    assert done.exit_code == 2
    assert "Traceback" not in done.output


def test_wrong_use_is_refused(written, tmp_path):
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "nowhere.csv").write_text(HEADER + LINE.replace("cyclic4", "nowhere"))
    for arguments, message in (
        (("--against", tmp_path / "none.csv"), "cannot be read (No such file"),
        (("--against", tmp_path / "binary.csv"), "cannot be read"),
        (("--against", tmp_path), "irectory"),
        (("--against", written, "--runs", "3"), "are those of the file"),
        (("--against", written, "--instance", "cyclic4"), "are those of the file"),
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
