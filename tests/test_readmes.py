"""The pages are correct: specs, commands and Python code run, links work, tables are complete."""

import re
import shlex
import shutil
import subprocess
import tomllib

import click
import numpy as np
import pandas as pd
import pytest

import duelbench
from duelbench.algorithms.catalogue import find
from duelbench.analysis.difference import LEVEL, Sample, compared_by_fisher
from duelbench.cli import main
from duelbench.conformance.case import SMALL, Case, CheckFailed
from duelbench.conformance.checks import run_check
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.engine.problem import checkpoints
from duelbench.experiment.plan import make_plan
from duelbench.layout import SUMMARY_COLUMNS, SUMMARY_RANKED, SUMMARY_RECOMMENDATIONS
from duelbench.results.results import Results
from duelbench.sources.published_matrices import TABLES
from duelbench.spec.figures import figure_kinds
from duelbench.spec.model import Spec, load
from tests.commands import here
from tests.comparison import ROOT
from tests.pages import DOCS, PAGES, anchors, blocks, code_in, numbered, rows, text_of

# Links


@pytest.mark.parametrize("page", [*PAGES, *DOCS])
def test_links(page):
    prose = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.S | re.M)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose) + re.findall(r"(?:src|href)=\"([^\"]+)\"", prose)
    for target in targets:
        if target.startswith("https://"):
            continue
        place, _, anchor = target.partition("#")
        path = (ROOT / page).parent / place if place else ROOT / page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path.resolve().relative_to(ROOT).as_posix()), target


# Specs


def play(*arguments):
    """Run `duelbench run` and return its output."""
    result = here("run", *arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A directory of a reader of the pages, with a matrix and a user algorithm."""
    for name in ("my_matrix.csv", "models.csv"):
        (tmp_path / name).write_text("0.5,0.6,0.7\n0.4,0.5,0.8\n0.3,0.2,0.5\n")
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\nann,bob,model_a\nbob,cy,tie\n")
    (tmp_path / "votes-matrix.csv").write_text("a,b\n0.5,0.6\n0.4,0.5\n")
    for name, (text, *_) in {"my_policy": own("WinnerStays"), "my_cup": own("Cup"), "kemeny": own("Kemeny")}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", numbered(blocks("yaml")))
def test_specs(workplace, text):
    (workplace / "spec.yaml").write_text(text)
    assert make_plan(load(workplace / "spec.yaml")).runs > 0


# Commands


def calls_in(program, lines):
    parts = {part.strip() for line in lines for part in re.split(r"\s#\s|&&|>|;", line) if "[" not in part}
    return sorted(part for part in parts if re.match(rf"{program} [\w-]", part))


def commands(program):
    """Return the calls of a program in the code blocks of all pages."""
    return calls_in(program, [line for _, text in blocks("") for line in text.splitlines()])


def mentions(program):
    """Return the calls of a program in the running text of all pages, which may omit arguments."""
    prose = [re.sub(r"^```.*?^```$", "", text_of(page), flags=re.S | re.M) for page in PAGES]
    return calls_in(program, [code for page in prose for code in code_in(page)])


DUELBENCH = commands("duelbench")
CHEAP = ("list", "datasets show", "check", "bounds")


def parse(call):
    """Let click parse a call of duelbench as far as it is complete."""
    command, context, words = main, None, shlex.split(call)
    while True:
        try:
            context = command.make_context(words[0], words[1:], parent=context)
        except click.MissingParameter:
            assert call not in DUELBENCH, call
            break
        if not isinstance(command, click.Group):
            break
        words = [*context._protected_args, *context.args]
        if words[1:] == [] and call not in DUELBENCH:
            assert command.get_command(context, words[0]), call
            break
        _, command, rest = command.resolve_command(context, words)
        words = [words[0], *rest]


def test_command_options():
    for call in sorted({*DUELBENCH, *mentions("duelbench")}):
        try:
            parse(call)
        except click.ClickException as error:
            pytest.fail(f"{call}: {error.format_message()}")


@pytest.mark.parametrize("call", [call for call in DUELBENCH if call.split(" ", 1)[1].startswith(CHEAP)])
def test_cheap_commands(workplace, call):
    result = here(*shlex.split(call)[1:])
    assert result.exit_code == 0, result.output


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_targets():
    calls = [*commands("make"), *mentions("make")]
    assert {"make demo", "make test", "make test-all", "make figures"} <= set(calls)
    for call in calls:
        if not re.search(r"\b[A-Z]+$", call):  # `make NAME`
            done = subprocess.run([*shlex.split(call), "-n"], cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (call, done.stderr)


# Python


def own(class_name):
    """Return the complete examples of a user's class."""
    return [text for _, text in blocks("python") if f"class {class_name}(" in text]


EXAMPLES = [
    (page, text)
    for page, text in blocks("python")
    if re.match(r"from duelbench import", text) and "results/spec" not in text
]
EXCERPTS = [(page, text) for page, text in blocks("python") if text.startswith("# duelbench/")]


@pytest.mark.parametrize("text", numbered(EXAMPLES))
def test_python_examples(text, monkeypatch, tmp_path, interpreted):
    (tmp_path / "votes.csv").write_text("first,second,winner,language\nx,y,x,en\ny,x,tie,en\nx,z,z,de\n")
    monkeypatch.chdir(tmp_path if re.search(r"Session.create\(|run\(spec|read_votes\(", text) else ROOT)
    exec(compile(text, "example", "exec"), {})


def test_python_examples_are_complete():
    shown = "".join(text for _, text in blocks("python"))
    for name in set(duelbench.__all__) - {"PreferenceMatrix", "advise", "no_winner"}:
        assert re.search(rf"^from duelbench import .*\b{name}\b", shown, re.M), name
    assert all(f"`{name}`" in text_of("duelbench/README.md") or name in shown for name in duelbench.__all__)


def test_frames_example(workplace, capsys, interpreted):
    (spec,) = [text for _, text in blocks("yaml") if "alpha: [0.51, 0.6, 1.0]" in text]
    (example,) = [text for _, text in blocks("python") if "results/spec" in text]
    (workplace / "spec.yaml").write_text(spec.replace("1e4", "100").replace("runs: 20", "runs: 3"))
    play("spec.yaml", "-j", 0)
    names = {}
    exec(compile(example, "example", "exec"), names)
    printed = capsys.readouterr().out
    assert "0.51" in printed and "dataset_title" in printed and "BTL-uniform, K = 8" in printed
    assert names["wide"].shape[1] == 9
    assert {"alpha", "arms"} <= set(names["results"].runs.columns)


@pytest.mark.parametrize("text", numbered(EXCERPTS))
def test_excerpts(text):
    first, _, excerpt = text.partition("\n")
    assert excerpt in text_of(first.removeprefix("# "))


MINE = 1001.2


@pytest.mark.parametrize("how", ["compiled", "plain Python"])
def test_own_algorithm(workplace, how):
    if how == "plain Python":
        (workplace / "my_policy.py").write_text(own("WinnerStays")[0].replace("@kernel\n", ""))
    (workplace / "spec.yaml").write_text(
        "horizon: 2e3\nruns: 4\ndatasets: [six-rankers]\n"
        "algorithms:\n  - {name: my_policy.py:WinnerStays, label: Mine}\n"
        "  - {name: my_policy.py:WinnerStays, patience: 3}\n"
    )
    assert "runs: 8 played" in play("spec.yaml", "-j", 0)
    summary = pd.read_csv("results/spec/summary.csv").query("t == 2000").set_index("algorithm")
    assert set(summary.index) == {"Mine", "WinnerStays"}
    assert (summary["mean"] > 0).all()
    # pinned, and so the same compiled and interpreted
    run = pd.read_csv("results/spec/six-rankers/Mine/run-00000.csv", comment="#")
    assert run["copeland"].iloc[-1] == pytest.approx(MINE)


@pytest.mark.parametrize("example", [0, 1])
def test_own_program(workplace, example):
    """Both programs end after five matches, but with different pairs, since one draws its order with NumPy."""
    text = own("Cup")[example]
    assert len(text.splitlines()) < 40
    (workplace / "my_cup.py").write_text(text)
    (workplace / "spec.yaml").write_text(
        "horizon: 2e3\nruns: 4\ndatasets: [six-rankers]\nalgorithms:\n  - {name: my_cup.py:Cup, duels: [3, 101]}\n"
    )
    assert "runs: 8 played" in play("spec.yaml", "-j", 0)
    summary = pd.read_csv("results/spec/summary.csv").query("t == 2000").set_index("algorithm")
    assert summary["duels_to_declaration"].tolist() == [5 * 3, 5 * 101]


def test_own_voting_rule(workplace, interpreted):
    (text,) = [text for _, text in blocks("yaml") if "kemeny.py:Kemeny" in text]
    (alone,) = re.findall(r"^.*kemeny.py:Kemeny.*\n", text, re.M)
    few_walks = text.partition(alone)[0] + alone.replace("}", ", starts: 4, steps: 10}")
    (workplace / "spec.yaml").write_text(few_walks.replace("runs: 10", "runs: 1"))
    assert "runs: 1 played" in play("spec.yaml", "-j", 0)
    summary = pd.read_csv("results/spec/summary.csv").query("t == 100000").set_index("algorithm")
    assert (summary["declared"] == 1).all() and (summary["right"] == 1).all()


def test_changed_hold(tmp_path, interpreted):
    ((_, before),) = EXCERPTS
    (after,) = [text for _, text in blocks("python") if text.startswith("# instead of these lines of duelbench/")]
    source = text_of("duelbench/algorithms/confidence/rucb.py")
    needed = re.search(r"`(from duelbench\.\S+ import first_round_reaching)`", text_of("docs/howto/holds.md"))[1]
    imports = "\nclass RucbState"
    for name, last in (("longer", "due - 1"), ("wrong", "due")):
        answer = after.partition("\n")[2]
        assert answer.count("due - 1") == 1
        text = source.replace(before.partition("\n")[2], answer.replace("due - 1", last))
        (tmp_path / f"{name}.py").write_text(text.replace(imports, f"\n{needed}\n\n{imports}", 1))
    P = TABLES["cyclic4"].matrix().relabelled([1, 2, 0, 3]).P

    def path(name, **rules):
        return simulate(
            find(name, tmp_path)(), P, pair_tables(4), checkpoints([5000], 20), *streams(0, 0), **rules
        ).regret

    ours = path("rucb")
    for name, right in (("longer.py:Rucb", True), ("wrong.py:Rucb", False)):
        assert np.array_equal(path(name), path(name, stepping=True)) == np.array_equal(path(name), ours) == right


def test_thinned_hold(tmp_path):
    """The holds of the page are exact, and the check detects a hold that keeps every candidate."""
    (text,) = own("Greedy")
    kept = " and bound * rng.random() < min(1.0, c / t)"
    assert text.count(kept) == 1
    for name, written in (("greedy", text), ("wrong", text.replace(kept, ""))):
        (tmp_path / f"{name}.py").write_text(written)
    right, wrong = (
        Case(find(f"{name}.py:Greedy", tmp_path)(c=2.0), {"cyclic4": TABLES["cyclic4"].matrix()}, size=SMALL)
        for name in ("greedy", "wrong")
    )
    assert "holds draw what happens in them" in run_check("holds", right)
    with pytest.raises(CheckFailed, match=r"the number of duels of different arms at t = .* differs in distribution"):
        run_check("holds", wrong)


# Tables


def test_tables_are_complete():
    keys = [key for cells in rows("configs/README.md", "Every key") for key in code_in(cells[0])]
    assert sorted(keys) == sorted(Spec.model_fields)
    kinds = [code_in(cells[0])[0] for cells in rows("configs/README.md", "Figures")]
    assert sorted(kinds) == [*figure_kinds()]
    columns = [column for cells in rows("results/README.md", "Columns of summary.csv") for column in code_in(cells[0])]
    assert columns == [*SUMMARY_COLUMNS, *SUMMARY_RECOMMENDATIONS, *SUMMARY_RANKED]
    matrices = [code_in(cells[0])[0] for cells in rows("datasets/README.md", "Shipped matrices")]
    assert sorted(matrices) == sorted(TABLES)


# Statements about results


@pytest.mark.slow
def test_what_to_use():
    """No algorithm is significantly better than D-TS at any budget, and shares at 100 and 2,000 votes are as stated."""
    summary = Results(ROOT / "results/identify").summary
    told = summary.algorithm.str.extract(r"budget=(\d+)")[0].astype(float)
    summary = summary[told.isna() | (told == summary.t)]
    summary = summary.assign(algorithm=summary.algorithm.str.replace(r"-budget=\d+", "", regex=True))
    shares = summary.groupby(["t", "algorithm"]).agg(share=("recommended_right", "mean"), runs=("runs", "sum"))
    said = " ".join(text_of("results/README.md").split())
    assert (
        "At no budget from 100 to 50,000 votes does an algorithm name a best arm significantly more often than D-TS"
        in said
    )
    assert "from 100 to 50,000 votes, no algorithm is significantly better than D-TS" in " ".join(
        text_of("README.md").split()
    )
    for t in (100, 500, 2000, 10_000, 50_000):
        found = shares.loc[t]
        p = compared_by_fisher([Sample(each.share, 0.0, int(each.runs)) for each in found.itertuples()])
        better = (found.share > found.share["d-ts"]) & (p[list(found.index).index("d-ts")] < LEVEL)
        assert not better.any(), t
    assert f"no algorithm is right in more than {shares.loc[100].share.max():.0%}".replace("%", " %") in said
    sure = shares.loc[2000].share[["knockout", "dkwt", "pocowista", "seebs"]]
    assert f"SEEBS are right in {100 * sure.min():.0f} to {100 * sure.max():.0f} % of the runs" in said


# Files beside the pages


def test_source_distribution():
    with (ROOT / "pyproject.toml").open("rb") as file:
        included = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for place in included:
        assert (ROOT / place.lstrip("/")).exists(), place
    for page in [*PAGES, "CITATION.cff"]:
        assert any(f"/{page}" == place or f"/{page}".startswith(f"{place}/") for place in included), page
