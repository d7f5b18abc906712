"""``duelbench plot`` and ``table``."""

import os
import shutil
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from duelbench import load_results
from duelbench.spec.figures import figure_kinds
from tests.commands import here
from tests.experiments import SMALL, played
from tests.tabled import markdown_cells

# plot


@pytest.fixture
def blank(monkeypatch):
    """Draw blank figures: these tests are about their names and places."""
    for kind in figure_kinds().values():
        monkeypatch.setattr(kind, "draw", lambda figure, results: Figure(label=len(results.summary)))


def test_plot_spec_and_several_results(copy, blank, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played(tmp_path, SMALL)
    (tmp_path / "spec.yaml").write_text(SMALL + "figures: [{kind: std, file: now}]\n")
    assert here("plot", "spec.yaml", "-o", "out", "-f", "png").output.split() == ["out/now.png"]
    assert here("plot", "out", "-f", "png").stdout.split() == ["out/regret.png", "out/regret-loglog.png"]
    assert here("plot", "out", "-o", "a/b", "-f", "png").stdout.split() == ["a/b/regret.png", "a/b/regret-loglog.png"]
    shutil.copytree("out", "results/spec")
    assert here("plot", "spec.yaml", "-f", "svg").output.split() == ["results/spec/now.svg"]
    before = {path: path.stat().st_mtime_ns for path in Path("results").rglob("*")}
    done = here("plot", "out", "spec.yaml", "-o", "both", "-f", "png")
    assert done.stdout.split() == ["both/regret.png", "both/regret-loglog.png", "both/now.png"]
    assert {path: path.stat().st_mtime_ns for path in Path("results").rglob("*")} == before


@pytest.fixture
def folder(copy, blank, tmp_path, monkeypatch):
    """A folder with two experiments, an unfinished one, three damaged ones, links and other files."""
    monkeypatch.chdir(tmp_path)
    for name in ("good", "smoke/good", "open", "bad-manifest", "bad-summary", "no-manifest", ".hidden"):
        shutil.copytree(copy, f"results/{name}")
    Path("results/open/summary.csv").unlink()
    Path("results/bad-manifest/manifest.json").write_text("{")
    Path("results/bad-summary/summary.csv").write_text("dataset\n")
    Path("results/no-manifest/manifest.json").unlink()
    Path("results/notes/empty").mkdir(parents=True)
    Path("results/notes/a.txt").write_text("no results")
    for link, to in (("loop", "."), ("a-link", "good"), ("dangling", "nowhere")):
        Path("results", link).symlink_to(to)
    return Path("results")


BAD = ("bad-manifest", "bad-summary", "no-manifest")


def test_plot_folder(folder):
    done = here("plot", "results/", "-f", "png")
    figures = ("regret.png", "regret-loglog.png")
    drawn = [f"results/{name}/{figure}" for name in ("good", "smoke/good") for figure in figures]
    assert done.stdout.split() == drawn
    assert done.exit_code == 2
    *lines, last = done.stderr.splitlines()
    assert all(
        line.startswith("error: results/bad") or "no-manifest" in line or "open is not" in line for line in lines
    )
    assert all(sum(f"results/{name}" in line for line in lines) == 1 for name in (*BAD, "open"))
    assert last == "2 experiments drawn"
    for name in BAD:
        shutil.rmtree(folder / name)
    # Figures older than results, or than the spec, are drawn again; others are skipped.
    os.utime("results/good/regret.png", ns=(0, 0))
    for options, names in (
        ((), ["good"]),
        ((), []),
        (("--force",), ["good", "smoke/good"]),
        (("--x", "log"), ["good", "smoke/good"]),
    ):
        done = here("plot", "results", "-f", "png", *options)
        assert (done.exit_code, done.stdout.split()) == (
            0,
            [f"results/{name}/{each}" for name in names for each in figures],
        )
        assert done.stderr.splitlines()[0].startswith("results/open is not finished: --partial")
        assert (f"{2 - len(names)} skipped" in done.stderr) == (len(names) < 2)
    done = here("plot", "results/smoke", "results/good", "-f", "png")  # a named experiment is always drawn
    assert done.stdout.split() == [f"results/good/{each}" for each in figures]
    done = here("plot", "results", "-f", "svg", "-o", "there", "--partial")
    assert done.exit_code == 0
    assert {str(path.parent) for path in Path("there").rglob("*.svg")} == {
        f"there/{each}" for each in ("good", "open", "smoke/good")
    }
    assert len([*Path("results").rglob("*.svg")]) == 0


def test_status_and_table_of_a_folder(folder):
    done = here("status", "results")
    assert done.exit_code == 2
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    unread = {f"results/{name}" for name in ("bad-manifest", "no-manifest")}
    assert lines.keys() - unread == {f"results/{each}" for each in ("bad-summary", "good", "open", "smoke/good")}
    assert all(lines[each].startswith("not compared, ") for each in unread)
    for form, head in (("markdown", "## "), ("latex", "% ")):
        done = here("table", "results", "-f", form)
        assert done.exit_code == 2
        assert [line for line in done.stdout.splitlines() if line.startswith(f"{head}results")] == [
            f"{head}results/good",
            f"{head}results/smoke/good",
        ]
        assert all(f"results/{name}" in done.stderr for name in (*BAD, "open"))
    lines = here("table", "results", "-f", "csv").stdout.splitlines()
    assert lines[0].startswith("experiment,dataset,")
    assert {line.partition(",")[0] for line in lines[1:]} == {"results/good", "results/smoke/good"}
    here("table", "results", "-o", "t.md", "-o", "t.csv")
    assert [Path(name).stat().st_size > 200 for name in ("t.md", "t.csv")] == [True, True]


# table


def test_table(small):
    done = here("table", small, "--at", "1e2")
    assert done.exit_code == 0, done.output
    cells = markdown_cells(done.stdout)
    summary = load_results(small).summary
    assert len(cells) - 1 == summary.algorithm.nunique()
    row = summary[(summary.t == 100) & (summary.algorithm == "btm")].iloc[0]
    (mine,) = [line for line in cells if line[0] == "Beat the Mean"]
    assert float(mine[1].replace(",", "").strip("* ").split(" ±")[0]) == pytest.approx(row["mean"], abs=row["sem"] / 5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--at", "1e3,x"), "'x' is not a valid integer"),
        (("-o", "table.docx"), "the name of a table ends in .md, .tex, .csv"),
        (("-o", "table.tex", "-f", "csv"), "leave one of the two out"),
    ],
)
def test_table_errors(small, arguments, words):
    done = here("table", small, *arguments)
    assert done.exit_code == 2
    assert words in done.output
