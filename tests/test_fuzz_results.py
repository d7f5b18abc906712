"""Directories of results that somebody has edited: every verb says so in one line, and stays inside them."""

import json
import shutil
import zlib

import pytest
from hypothesis import strategies as st

from tests.experiments import seal
from tests.fuzzing import NO_FILES, Yard, fuzzed, renewed
from tests.test_fuzz_specs import NASTY, mutants

SPEC = """
horizon: 50
runs: 2
checkpoints_per_decade: 4
datasets: [six-rankers, {name: cyclic4, label: C}]
algorithms: [{name: here.py:First, title: $F$}]
figures:
  - {kind: regret, bounds: [LB], algorithms: [First], title: A title}
  - {kind: std, at: 50, normalize_by: First, file: bars}
  - {kind: scaling, datasets: [six-rankers], legend: ends, xlabel: arms}
"""
ALGORITHM = '''
from typing import NamedTuple
from duelbench.algorithms import Algorithm


class FirstState(NamedTuple):
    arms: int


class First(Algorithm):
    """Always the first two arms, in plain Python, so that nothing is compiled."""

    name = "first"
    State = FirstState
    select = staticmethod(lambda state, t, last, rng: (0, 1, 1))
    update = staticmethod(lambda state, first, second, wins, count: None)

    def start(self, arms, horizon):
        return FirstState(arms)
'''


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    yard = Yard(tmp_path_factory.mktemp("yard"))
    (yard.work / "spec.yaml").write_text(SPEC)
    (yard.work / "here.py").write_text(ALGORITHM)
    (yard.work / "__pycache__").mkdir()
    said = yard.call("run", "spec.yaml", "-j", 0, "-o", "good", may_write=yard.work)
    assert said in ("", "trying here.py:First (again only when it has changed)…\n")
    return yard


@pytest.fixture
def tampered(yard):
    return renewed(yard)


def every_verb(yard, drawn=True):
    """Look at the directory in every way; figures are ``drawn`` from what lies at its top."""
    bad = yard.work / "bad"
    yard.call("status", "bad")
    yard.call("status", "spec.yaml", "-o", "bad")
    yard.call("compare", "bad", "good")
    yard.call("compare", "good", "bad")
    if drawn:
        yard.call("plot", "bad", "-f", "svg", may_write=bad)
        for form in ("markdown", "latex", "csv"):
            yard.call("table", "bad", "-f", form)


def run(yard):
    return yard.call("run", "spec.yaml", "-j", 0, "-o", "bad", may_write=yard.work / "bad")


def test_what_is_tampered_with_works_before(yard, tampered):
    for verb in (["status", "spec.yaml", "-o", "bad"], ["compare", "bad", "good"]):
        assert yard.call(*verb) == ""
    assert "its spec runs code of a file" in yard.call("status", "bad")
    assert yard.call("plot", "bad", "-f", "svg", may_write=tampered) == ""
    assert {path.name for path in tampered.glob("*.svg")} == {"regret.svg", "bars.svg", "regret-by-arms.svg"}
    assert run(yard) == ""


@fuzzed(6, 12, data=st.data())
def test_edited_manifests(yard, data):
    place = renewed(yard)
    manifest = json.loads((place / "manifest.json").read_text())
    part = data.draw(st.sampled_from(["spec", "spec", "all"]))
    valid = manifest["spec"] if part == "spec" else manifest
    plain = NASTY.filter(lambda value: not isinstance(value, bytes) and value not in ({1: 2}, 10**400))
    tree = data.draw(mutants(valid, plain))
    manifest = manifest | {"spec": tree} if part == "spec" else tree
    (place / "manifest.json").write_text(json.dumps(manifest))
    every_verb(yard)
    run(yard)


CELLS = ["", "nan", "inf", "-inf", "1e308", "-1", "0", "1e400", "9" * 400, "9" * 5000, "0.5", "../..", "/", "\0", "'",
         '"', "../../../evil", "summary.csv", "x" * 300, "$\\frac$", "é", "1\n2", ",", "copeland", "LB"]  # fmt: skip


@fuzzed(8, 25, data=st.data())
def test_edited_tables(yard, data):
    place = renewed(yard)
    name = data.draw(st.sampled_from(["summary.csv", "summary.csv", "bounds.csv"]))
    rows = [line.split(",") for line in (place / name).read_text().splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.integers(0, len(rows) - 1))
        column = data.draw(st.integers(0, len(rows[row]) - 1))
        every = data.draw(st.booleans())
        cell = data.draw(st.sampled_from(CELLS))
        for each in rows[1:] if every else [rows[row]]:
            if column < len(each):
                each[column] = cell
    (place / name).write_text("\n".join(map(",".join, rows)) + "\n")
    if data.draw(st.booleans()):
        seal(place)
    every_verb(yard)


@fuzzed(6, 10, data=st.data())
def test_broken_bytes(yard, data):
    place = renewed(yard)
    files = sorted(path for path in place.rglob("*") if path.is_file() and path.name != ".lock")
    path = data.draw(st.sampled_from(files))
    raw = path.read_bytes()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(raw)))
        end = start + data.draw(st.sampled_from([0, 1, 5, 100, 10**6]))
        raw = (
            raw[:start]
            + data.draw(st.one_of(st.binary(max_size=4), st.sampled_from([b"[" * 3000, b"9" * 500])))
            + raw[end:]
        )
    path.write_bytes(raw)
    every_verb(yard, drawn=path.parent == place)
    run(yard)


FILES = ["manifest.json", "summary.csv", "bounds.csv", ".lock", "bars.svg", "six-rankers/First/run-00000.csv",
         "six-rankers/First/series.json", "six-rankers/First/run-00000.failed", "six-rankers/First/.run-00000.csv.1",
         "six-rankers/First", "six-rankers"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("what", NO_FILES)
def test_something_else_in_the_place_of_files(yard, tampered, name, what):
    with yard.with_something_else(tampered / name, what):
        yard.call("status", "bad")
        yard.call("status", "spec.yaml", "-o", "bad")
        yard.call("compare", "bad", "good")
        run(yard)
        yard.call("status", "bad")
        yard.call("compare", "bad", "good")
        if "/" not in name and name != ".lock":  # what figures are drawn from, and where
            yard.call("plot", "bad", "-f", "svg", may_write=yard.work / "bad")


def reordered(body):
    """The rows of a run in another order: its regret falls where t rises, and every number is one of a run."""
    header, *rows = body.splitlines()
    return "\n".join([header, *reversed(rows)]) + "\n"


STEERING = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\n"


def test_what_strangers_have_written_steers_no_terminal(yard, tampered):
    """Each of these was printed as it is by some verb: reasons, failures, what manifests say, names of directories."""
    place = tampered / "six-rankers" / "First"
    record = json.loads((place / "series.json").read_text())
    record["parameters"] = {STEERING: STEERING}
    record["regret"] = STEERING
    record["code"] |= {STEERING: STEERING, f"{STEERING}.py": STEERING}
    (place / "series.json").write_text(json.dumps(record))
    run = place / "run-00000.csv"
    words = run.read_text().split()
    (place / "run-00001.csv").write_text("# duelbench run 0 0\n")
    run.unlink()
    (place / "run-00000.failed").write_text(f"# duelbench run {words[3]}\n{STEERING}{STEERING[:-1]}")
    manifest = json.loads((tampered / "manifest.json").read_text())
    manifest["executions"][-1] |= {"machine": {STEERING: STEERING}, "versions": STEERING, f"x{STEERING}": 1}
    manifest["spec"]["title"] = manifest["spec"]["datasets"][0]["title"] = STEERING
    (tampered / "manifest.json").write_text(json.dumps(manifest))
    odd = tampered / STEERING.replace("/", "") / STEERING
    odd.mkdir(parents=True)
    (odd / "series.json").write_text("{}")
    every_verb(yard)
    yard.call("report", "bad", may_write=tampered)
    named = yard.work / STEERING
    shutil.rmtree(named, ignore_errors=True)
    shutil.copytree(tampered, named)
    for verb in ("status", "plot", "report"):
        yard.call(verb, STEERING, may_write=named)
    for verb in (["compare", STEERING, "good"], ["status", "spec.yaml", "-o", STEERING]):
        yard.call(*verb)
    (named / "manifest.json").write_text(json.dumps(manifest | {"spec_path": STEERING}))
    yard.call("status", STEERING)
    yard.call("run", "spec.yaml", "-j", 0, "-o", STEERING, may_write=named)
    shutil.rmtree(named)


def test_a_run_with_a_checksum_to_match_is_refused(yard, tampered):
    path = tampered / "six-rankers/First/run-00001.csv"
    header, _, body = path.read_text().partition("\n")
    for forged in (
        body.replace("\n1,", "\n1,inf,", 1),
        body.replace("0", "x"),
        "t\n",
        "",
        reordered(body),
        body.replace("t,", "s,"),
    ):
        path.write_text(f"{header.rpartition(' ')[0]} {zlib.crc32(forged.encode()):08x}\n{forged}")
        assert "these are not the numbers of a run" in run(yard)
        every_verb(yard, drawn=False)


def test_a_figure_is_drawn_nowhere_else(yard, tampered):
    manifest = json.loads((tampered / "manifest.json").read_text())
    for file in ("../evil", str(yard.root / "evil"), "a/b", "\0", ""):
        manifest["spec"]["figures"][0]["file"] = file
        (tampered / "manifest.json").write_text(json.dumps(manifest))
        assert "spec.figures.0" in yard.call("plot", "bad", "-f", "svg", may_write=tampered)


def test_a_scaling_figure_without_any_results_is_drawn(yard, tampered):
    summary = (tampered / "summary.csv").read_text().replace(",First,", ",Other,")
    (tampered / "summary.csv").write_text(summary)
    seal(tampered)
    assert yard.call("plot", "bad", "-f", "svg", may_write=tampered) == ""
