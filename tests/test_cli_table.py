"""``duelbench table``."""

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.runs.frames import load_results
from tests.commands import here
from tests.experiments import played
from tests.tabled import latex_cells, markdown_cells

BUDGET = """\
budget: 300
runs: 6
datasets: [six-rankers]
algorithms: [rucb, {name: uniform, title: "$U$"}]
"""


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Results in which arms are recommended; not to be changed."""
    return played(tmp_path_factory.mktemp("named"), BUDGET).directory


def test_a_table_is_what_the_runs_say(small):
    done = here("table", small, "--at", "1e2")
    assert done.exit_code == 0, done.output
    cells = markdown_cells(done.stdout)
    summary = load_results(small).summary
    assert len(cells) - 1 == summary.algorithm.nunique()
    row = summary[(summary.t == 100) & (summary.algorithm == "btm")].iloc[0]
    (mine,) = [line for line in cells if line[0] == "btm"]
    assert float(mine[1].replace(",", "").strip("* ").split(" ±")[0]) == pytest.approx(row["mean"], abs=row["sem"] / 5)


def test_the_suffix_says_what_a_file_is(small, tmp_path):
    assert here("table", small, "-o", tmp_path / "a" / "t.tex").stdout.strip().endswith("t.tex")
    assert len(latex_cells((tmp_path / "a" / "t.tex").read_text())) > 2
    here("table", small, "-o", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == here("table", small, "-f", "csv").stdout
    here("table", small, "-o", tmp_path / "t.md", "--transpose")
    assert (tmp_path / "t.md").read_text() == here("table", small, "--transpose").stdout


@pytest.mark.parametrize("show", ["right", "simple", "votes"])
def test_arms_that_are_named(named, show):
    cells = markdown_cells(here("table", named, "--show", show).stdout)
    assert [line[0] for line in cells] == ["algorithm", "rucb", "U"]
    assert all(("(" in line[1]) == (show == "right") for line in cells[1:])
    assert all("±" in line[1] for line in cells[1:]) == (show != "right")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--at", "1e3,x"), "'x' is not a round"),
        (("--at", "0"), "'0' is not a round"),
        (("--at", "nan"), "'nan' is not a round"),
        (("--at", "2.5"), "'2.5' is not a round"),
        (("--at", "17"), "the nearest checkpoint is"),
        (("--algorithm", "bmt"), "did you mean 'btm'?"),
        (("--show", "right"), "recommend none"),
        (("-o", "table.docx"), "a table is a file .md, .tex, .csv"),
        (("-o", "table.tex", "-f", "csv"), "leave one of the two out"),
    ],
)
def test_what_cannot_be_made_is_refused(small, arguments, words):
    done = CliRunner().invoke(main, ["table", str(small), *arguments])
    assert done.exit_code == 2
    assert words in done.output


def test_results_that_are_not_complete_are_refused(copy):
    (copy / "summary.csv").unlink()
    done = CliRunner().invoke(main, ["table", str(copy)])
    assert done.exit_code == 2
    assert "`duelbench run` the spec again to finish it" in done.output


def test_lines_of_a_table_stay_whole_on_a_narrow_terminal(small, monkeypatch):
    wide = here("table", small, "-f", "latex").stdout
    monkeypatch.setenv("COLUMNS", "30")
    assert here("table", small, "-f", "latex").stdout == wide
