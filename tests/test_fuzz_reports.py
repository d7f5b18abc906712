"""Results of papers' figures that somebody has edited, or that are something else: the report says so, or goes on."""

import json
import shutil
from contextlib import suppress

import pytest
from hypothesis import strategies as st

from duelbench.errors import UserError
from duelbench.layout import TABLE_COLUMNS, header
from duelbench.reproduction.papers import PAPERS
from duelbench.reproduction.report import report as make_report
from duelbench.reproduction.stated import Paper
from duelbench.spec.load import load
from tests.comparison import ROOT
from tests.experiments import seal
from tests.fuzzing import NO_FILES, Yard, fuzzed, renewed
from tests.measured import explored, recommended, write
from tests.test_fuzz_results import CELLS, STEERING
from tests.test_fuzz_specs import NASTY, mutants

NAMES = [figure.name for paper in PAPERS for figure in paper.figures if figure.name.startswith("fig-")]
TABLES = sorted({figure.name for paper in PAPERS for figure in paper.figures if figure.name.startswith("table-")})


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    yard = Yard(tmp_path_factory.mktemp("yard"))
    good = yard.work / "good"
    for name in NAMES:
        spec = load(ROOT / "configs" / f"{name}.yaml")
        datasets = [entry.label for entry in spec.expanded_datasets()]
        names = spec.recommend != "none"
        cells = {
            (d, a.label): (recommended if names else explored)(10) for d in datasets for a in spec.expanded_algorithms()
        }
        more = {"recommend": spec.recommend, "horizons": range(10, 90, 10)} if names else {}  # PARWiS is read at these
        write(good, name, cells, datasets, spec.horizons[-1], spec.regret, **more)
        bounds = [f"{datasets[0]},{bound},copeland,1" for bound in ("LB", "ECWB")]
        (good / name / "bounds.csv").write_text("\n".join(["dataset,bound,regret,constant", *bounds]))
        seal(good / name)
    for name in TABLES:
        (good / name).mkdir()
        rows = [f"{bound},copeland,10,700,5" for bound in ("LB", "ECWB", "RMED", "CCB")]
        (good / name / "table.csv").write_text("\n".join([header(TABLE_COLUMNS), *rows]))
    return yard


@pytest.fixture
def tampered(yard):
    return renewed(yard)


def report(yard):
    return yard.call("report", "bad", may_write=yard.work / "bad")


def test_what_is_tampered_with_is_reported_on_before(yard, tampered):
    assert report(yard) == ""
    assert "not run" not in (tampered / "REPRODUCTION.md").read_text().splitlines()[-1]
    assert " 0 not run" in (tampered / "REPRODUCTION.md").read_text()


@fuzzed(15, 150, data=st.data())
def test_edited_tables(yard, data):
    place = renewed(yard)
    names = data.draw(st.sampled_from([NAMES, NAMES, NAMES, TABLES]))
    path = place / data.draw(st.sampled_from(names))
    path /= "table.csv" if names is TABLES else data.draw(st.sampled_from(["summary.csv"] * 4 + ["bounds.csv"]))
    rows = [line.split(",") for line in path.read_text().splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
        cell = data.draw(st.sampled_from([*CELLS, "-0.0", "1e-320", "1e-300", "1e300", "2", "-1e9", "1e15", "True"]))
        for each in rows[1:] if data.draw(st.booleans()) else [rows[row]]:
            if column < len(each):
                each[column] = cell
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    if names is NAMES and data.draw(st.booleans()):
        seal(path.parent)
    report(yard)


ODDEST = ["0", "-1", "", "nan", "inf"]
NUMBERS = [*ODDEST, "1e-300", "1e15", "-1e15", "0.5", "2"]


@pytest.mark.parametrize("column", ["mean", "std", "sem", "declared", "duels_to_declaration", "right"])
@pytest.mark.parametrize(
    ("which", "numbers"), [(0, ODDEST), *(pytest.param(each, NUMBERS, marks=pytest.mark.slow) for each in (0, 1, 2))]
)
def test_every_measure_stands_every_number(yard, column, which, numbers):
    """Beside sound numbers: that of the first algorithm, of the second, or of all has been edited."""
    for paper in PAPERS:
        for figure in paper.figures:
            path = yard.work / "good" / figure.name / "summary.csv"
            if not path.exists():
                continue
            place = yard.work / "bad" / figure.name
            shutil.rmtree(yard.work / "bad", ignore_errors=True)
            shutil.copytree(path.parent, place)
            first, *rows = [line.split(",") for line in path.read_text().splitlines()]
            for number in numbers:
                edited = [list(row) for row in rows]
                for index, row in enumerate(edited):
                    if which == 2 or index // 2 % 2 == which:  # two rows of each algorithm
                        row[first.index(column)] = number
                (place / "summary.csv").write_text("\n".join(map(",".join, [first, *edited])) + "\n")
                seal(place)
                with suppress(UserError):
                    page, _ = make_report(yard.work / "bad", [Paper("", (figure,))])
                    assert page


@pytest.mark.parametrize("number", [*NUMBERS, "x", '"', "\x1b[2J"])
def test_every_constant_may_be_any_number(yard, tampered, number):
    for path in tampered.glob("*/bounds.csv"):
        path.write_text(path.read_text().replace(",1", f",{number}", 1))
        seal(path.parent)
    for path in tampered.glob("*/table.csv"):
        path.write_text(path.read_text().replace(",700", f",{number}").replace(",5", f",{number}", 1))
    report(yard)


@fuzzed(8, 60, data=st.data())
def test_edited_manifests(yard, data):
    path = renewed(yard) / data.draw(st.sampled_from(NAMES)) / "manifest.json"
    manifest = json.loads(path.read_text())
    part = data.draw(st.sampled_from(["spec", "spec", "seconds_per_run", "all"]))
    plain = NASTY.filter(lambda value: not isinstance(value, bytes) and value != {1: 2})
    tree = data.draw(mutants(manifest if part == "all" else manifest[part], plain))
    text = json.dumps(tree if part == "all" else manifest | {part: tree})
    path.write_text(text)
    report(yard)


@fuzzed(8, 60, data=st.data())
def test_broken_bytes(yard, data):
    place = renewed(yard)
    path = data.draw(st.sampled_from(sorted(path for path in place.rglob("*") if path.is_file())))
    raw = path.read_bytes()
    start = data.draw(st.integers(0, len(raw)))
    end = start + data.draw(st.sampled_from([0, 1, 5, 100, 10**6]))
    path.write_bytes(
        raw[:start] + data.draw(st.sampled_from([b"", b"\0", b"[" * 3000, b"9" * 5000, b"\xff"])) + raw[end:]
    )
    report(yard)


FILES = ["fig-ecw-1a/manifest.json", "fig-ecw-1a/summary.csv", "fig-ecw-1a/bounds.csv", "fig-ecw-1a/regret.png",
         f"{TABLES[0]}/table.csv", "fig-ecw-1a", TABLES[0], "REPRODUCTION.md"]  # fmt: skip


HALF = [  # of every file something, and everything of some file
    pytest.param(name, what, marks=pytest.mark.slow if (i + j) % 2 else ())
    for i, name in enumerate(FILES)
    for j, what in enumerate(NO_FILES)
]


@pytest.mark.parametrize(("name", "what"), HALF)
def test_something_else_in_the_place_of_files(yard, tampered, name, what):
    with yard.with_something_else(tampered / name, what):
        report(yard)


def test_names_of_pictures_stay_names(yard, tampered):
    (tampered / "fig-ecw-1a" / f"a](b) <img> {STEERING}.png").touch()
    report(yard)
    assert "a](b)" not in (tampered / "REPRODUCTION.md").read_text()
    assert "\x1b" not in (tampered / "REPRODUCTION.md").read_text()
