"""Damaged results: every command says so in one line, or continues, and changes nothing elsewhere."""

import json

import pytest
from hypothesis import strategies as st

from tests.fuzzing import NO_FILES, Yard, damaged, fuzzed, renewed
from tests.test_fuzz_specs import NASTY, mutants

SPEC = """
horizon: 50
runs: 2
checkpoints_per_decade: 4
datasets: [six-rankers, {name: cyclic4, label: C}]
algorithms: [{name: uniform, label: One, title: $F$}]
figures:
  - {kind: regret, datasets: [C], bounds: [LB], algorithms: [One], title: A title}
  - {kind: std, datasets: [six-rankers], at: 50, normalize_by: One, file: bars}
  - {kind: scaling, datasets: [six-rankers], legend: ends, xlabel: arms}
"""
RUNS = "six-rankers/One"


class Results(Yard):
    """Results of a spec, and all commands that read them."""

    tables = ("summary.csv", "bounds.csv")
    manifests = ("manifest.json",)
    series = tuple(
        f"{RUNS}/{name}" for name in ("run-00000.csv", "series.json", "run-00000.failed", ".run-00000.csv.1")
    )
    places = (*tables, *manifests, ".lock", "bars.svg", "six-rankers", RUNS, *series)

    def __init__(self, root):
        super().__init__(root)
        (self.work / "spec.yaml").write_text(SPEC)
        self.call("run", "spec.yaml", "-j", 0, "-o", "good", may_write=self.work)

    def look(self, path=None):
        """Read the results with all commands; those below a directory are in no figure."""
        self.call("status", "bad")
        self.call("status", "spec.yaml", "-o", "bad")
        self.call("compare", "bad", "good")
        self.call("compare", "good", "bad")
        if path is None or path.parent == self.work / "bad":
            self.call("plot", "bad", "-f", "svg", may_write=self.work / "bad")
            for form in ("markdown", "latex", "csv"):
                self.call("table", "bad", "-f", form)

    def run(self):
        return self.call("run", "spec.yaml", "-j", 0, "-o", "bad", may_write=self.work / "bad")


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    return Results(tmp_path_factory.mktemp("yard"))


def test_sound_results(yard):
    place = renewed(yard)
    for verb in (["status", "bad"], ["status", "spec.yaml", "-o", "bad"], ["compare", "bad", "good"]):
        assert yard.call(*verb) == ""
    assert yard.call("plot", "bad", "-f", "svg", may_write=place) == ""
    assert {path.name for path in place.glob("*.svg")} == {"regret.svg", "bars.svg", "regret-by-arms.svg"}
    assert yard.run() == ""


CELLS = ["", "nan", "inf", "-inf", "-0.0", "1e-320", "1e308", "-1", "0", "1e400", "9" * 400, "9" * 5000, "0.5", "1e15",
         "True", "../..", "/", "\0", "'", '"', "../../../evil", "summary.csv", "x" * 300, "$\\frac$", "é", "1\n2", ",",
         "copeland", "LB"]  # fmt: skip


@fuzzed(2, 15, data=st.data())
def test_edited_tables(yard, data):
    path = renewed(yard) / data.draw(st.sampled_from(yard.tables))
    rows = [line.split(",") for line in path.read_text().splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.integers(0, len(rows) - 1))
        column = data.draw(st.integers(0, len(rows[row]) - 1))
        cell = data.draw(st.sampled_from(CELLS))
        for each in rows[1:] if data.draw(st.booleans()) else [rows[row]]:
            if column < len(each):
                each[column] = cell
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    yard.look()


@fuzzed(2, 15, data=st.data())
def test_edited_manifests(yard, data):
    path = renewed(yard) / data.draw(st.sampled_from(yard.manifests))
    manifest = json.loads(path.read_text())
    part = data.draw(st.sampled_from(["spec", "spec", "seconds", "all"]))
    plain = NASTY.filter(lambda value: not isinstance(value, bytes) and value not in ({1: 2}, 10**400))
    tree = data.draw(mutants(manifest if part == "all" else manifest[part], plain))
    path.write_text(json.dumps(tree if part == "all" else manifest | {part: tree}))
    yard.look()
    yard.run()


JUNK = st.one_of(st.binary(max_size=4), st.sampled_from([b"", b"\0", b"[" * 3000, b"9" * 5000, b"\xff"]))


@fuzzed(4, 15, data=st.data())
def test_damaged_bytes(yard, data):
    place = renewed(yard)
    files = sorted(path for path in place.rglob("*") if path.is_file() and path.name != ".lock")
    path = data.draw(st.sampled_from(files))
    path.write_bytes(data.draw(damaged(path.read_bytes(), JUNK, 3, 10**6)))
    yard.look(path)
    yard.run()


@pytest.mark.parametrize("what", NO_FILES)
@pytest.mark.parametrize("step", [0, *(pytest.param(step, marks=pytest.mark.slow) for step in range(1, 4))])
def test_other_files(yard, what, step):
    """Something else replaces a file; the slow test has other files."""
    name = yard.places[(NO_FILES.index(what) + step) % len(yard.places)]
    place = renewed(yard)
    with yard.with_something_else(place / name, what):
        yard.look(place / name)
        yard.run()
        yard.look(place / name / "after")


def test_figure_paths(yard):
    place = renewed(yard)
    manifest = json.loads((place / "manifest.json").read_text())
    for file in ("../evil", str(yard.root / "evil"), "a/b", "\0", ""):
        manifest["spec"]["figures"][0]["file"] = file
        (place / "manifest.json").write_text(json.dumps(manifest))
        assert "spec.figures.0" in yard.call("plot", "bad", "-f", "svg", may_write=place)


def test_figures_without_results(yard):
    place = renewed(yard)
    summary = (place / "summary.csv").read_text().replace(",One,", ",Other,")
    (place / "summary.csv").write_text(summary)
    assert yard.call("plot", "bad", "-f", "svg", may_write=place) == ""
