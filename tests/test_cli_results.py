"""``duelbench plot`` and ``table``."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from duelbench.results.frames import load_results
from tests.commands import here
from tests.experiments import ENVIRONMENT, SMALL, played
from tests.tabled import latex_cells, markdown_cells

# plot


def test_plot_imports_little(copy, tmp_path):
    code = (
        "import sys; from duelbench.cli import main; "
        "main(['plot', 'out', '-f', 'png'], standalone_mode=False); "
        "names = {'numba', 'llvmlite', 'matplotlib.pyplot', 'duelbench.engine'}; "
        "assert not names & sys.modules.keys()"
    )
    command = [sys.executable, "-c", code]
    drawn = subprocess.run(command, check=True, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert drawn.stdout.split() == ["out/regret.png", "out/regret-loglog.png"]
    assert (copy / "regret.png").stat().st_size > 10_000


@pytest.fixture
def blank(monkeypatch):
    """Draw blank figures: these tests are about their names and places."""
    monkeypatch.setattr("duelbench.plots.figures.drawing_of", lambda figure, results: Figure())


def test_plot_spec_and_several_results(copy, blank, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played(tmp_path, SMALL)
    (tmp_path / "spec.yaml").write_text(SMALL + "figures: [{kind: std, file: now}]\n")
    assert here("plot", "spec.yaml", "-o", "out", "-f", "png").output.split() == ["out/now.png"]
    assert here("plot", "out", "-f", "png").output.split() == ["out/now.png"]
    assert here("plot", "out", "-o", "a/b", "-f", "png").output.split() == ["a/b/now.png"]
    shutil.copytree("out", "results/spec")
    assert here("plot", "spec.yaml", "-f", "svg").output.split() == ["results/spec/now.svg"]
    before = {path: path.stat().st_mtime_ns for path in Path("results").rglob("*")}
    done = here("plot", "out", "results/spec", "-o", "both", "-f", "png")
    # The copy does not know the path of its spec.
    assert done.output.split() == ["both/now.png", "both/regret.png", "both/regret-loglog.png"]
    assert {path: path.stat().st_mtime_ns for path in Path("results").rglob("*")} == before


def test_plot_partial(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (copy / "summary.csv").unlink()
    (copy / "six-rankers" / "btm" / "run-00005.csv").unlink()
    done = here("plot", "out", "--partial", "-f", "svg")
    assert done.stderr.startswith("six-rankers/btm: 5 of 6 runs\n")
    assert done.stdout.split() == ["out/regret.svg", "out/regret-loglog.svg"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("out", "out"), "several results need a directory"),
        (("nowhere",), "there is no directory nowhere"),
        (("nowhere.yaml",), "there is no such file"),
        (("changed.yaml", "-o", "out"), "has results of another spec (it has changed in runs)"),
        (("out", "-o", "out/manifest.json"), "choose another place with -o"),
    ],
)
def test_plot_errors(copy, blank, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "changed.yaml").write_text(SMALL.replace("runs: 6", "runs: 7"))
    done = here("plot", *arguments, "-f", "png")
    assert done.exit_code == 2
    assert words in done.output


def test_formats(copy, blank, tmp_path, monkeypatch):
    pytest.importorskip("plotly")
    monkeypatch.chdir(tmp_path)
    done = here("plot", "out", "-f", "png,html", "-f", "svg", "-f", "png", "-o", "there")
    names = [f"there/{name}.{suffix}" for name in ("regret", "regret-loglog") for suffix in ("png", "svg")]
    assert done.output.split() == [*names, "there/figures.html"]
    assert here("plot", "out", "-f", "html").output == "out/figures.html\n"
    (copy / "summary.csv").unlink()
    assert here("plot", "out", "--partial", "-f", "html").stdout == "out/figures.html\n"
    done = here("plot", "out", "-f", "png,htm")
    assert done.exit_code == 2
    assert "'htm' is not a format of figures (did you mean 'html'?): choose among png, pdf, svg, html" in done.output


# table


BUDGET = """\
budget: 300
runs: 6
datasets: [six-rankers]
algorithms: [rucb, {name: uniform, title: "$U$"}]
"""


def test_table(small):
    done = here("table", small, "--at", "1e2")
    assert done.exit_code == 0, done.output
    cells = markdown_cells(done.stdout)
    summary = load_results(small).summary
    assert len(cells) - 1 == summary.algorithm.nunique()
    row = summary[(summary.t == 100) & (summary.algorithm == "btm")].iloc[0]
    (mine,) = [line for line in cells if line[0] == "Beat the Mean"]
    assert float(mine[1].replace(",", "").strip("* ").split(" ±")[0]) == pytest.approx(row["mean"], abs=row["sem"] / 5)


def test_table_files(small, tmp_path):
    assert here("table", small, "-o", tmp_path / "a" / "t.tex").stdout.strip().endswith("t.tex")
    assert len(latex_cells((tmp_path / "a" / "t.tex").read_text())) > 2
    here("table", small, "-o", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == here("table", small, "-f", "csv").stdout
    here("table", small, "-o", tmp_path / "t.md", "--transpose")
    assert (tmp_path / "t.md").read_text() == here("table", small, "--transpose").stdout


def test_table_of_recommended_arms(tmp_path):
    directory = played(tmp_path, BUDGET).directory
    for show, signs in (("right", (True, False)), ("simple", (False, True)), ("votes", (False, True))):
        cells = markdown_cells(here("table", directory, "--show", show).stdout)
        assert [line[0] for line in cells] == ["algorithm", "RUCB", "U"]
        assert all(("(" in line[1], "±" in line[1]) == signs for line in cells[1:])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--at", "1e3,x"), "'x' is not a valid integer"),
        (("--at", "0"), "0 is not in the range"),
        (("--algorithm", "bmt"), "did you mean 'btm'?"),
        (("-o", "table.docx"), "the name of a table ends in .md, .tex, .csv"),
        (("-o", "table.tex", "-f", "csv"), "leave one of the two out"),
    ],
)
def test_table_errors(small, arguments, words):
    done = here("table", small, *arguments)
    assert done.exit_code == 2
    assert words in done.output


def test_table_of_incomplete_results(copy):
    (copy / "summary.csv").unlink()
    done = here("table", copy)
    assert done.exit_code == 2
    assert "`duelbench run` the spec again to finish it" in done.output


def test_table_is_not_fitted(small, monkeypatch):
    wide = here("table", small, "-f", "latex").stdout
    monkeypatch.setenv("COLUMNS", "30")
    assert here("table", small, "-f", "latex").stdout == wide
