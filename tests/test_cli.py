"""The command line: help, mistakes in all verbs, output, numbers, names, and the shorter verbs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.cli import VERBS, main, terminal
from duelbench.cli.inputs import (
    WholeRange,
    shipped_specs,
    spec_path,
)
from duelbench.cli.terminal import one_line, say
from duelbench.files import shipped
from tests.commands import SPEC, here
from tests.experiments import ENVIRONMENT

# Help and mistakes


def test_mistake_leaves_results(two_played, two, tmp_path):
    shutil.copytree(two_played[0] / "results", tmp_path / "results")
    before = {path: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()}
    assert before
    two.write_text(SPEC.replace("rucb", "rubc"))
    for verb in ("run", "check"):
        failed = here(verb, "two.yaml")
        assert failed.exit_code == 2
        assert failed.stderr.startswith("error: two.yaml:5: unknown algorithm 'rubc' (did you mean 'rucb'?)")
        assert failed.stderr.count("\n") == 1
        assert failed.stdout == ""
    assert {path: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "none.yaml"], "there is no such file"),
        (["datasets", "show", "sushi"], "did you mean 'sushi16'?"),
        (["run", "two.yaml", "-o", "two.yaml"], "choose another place with -o"),
        (["bounds", "six-rankers", "-j", "10000"], "10000 is not in the range"),
        (["bounds", "six-rankers", "--size", "3", "--min-gap", "nan"], "not a finite number"),
        (["rum"], "no such command: 'rum' (did you mean 'run'?)"),
        (["run", "two.yaml", "--smke"], "--smoke"),
    ],
)
def test_mistakes(two, arguments, sentence):
    failed = here(*arguments)
    assert failed.exit_code == 2
    assert sentence in failed.stderr
    assert "Traceback" not in failed.stderr


def test_help_imports_nothing():
    code = (
        "import sys; from duelbench.cli import main; main(['--help'], standalone_mode=False); "
        "print(sorted({'numpy', 'numba', 'pydantic', 'yaml', 'matplotlib', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    for verb in ("run", "plot", "check", "list", "datasets"):
        assert f"  {verb} " in done.stdout
    assert done.stdout.endswith("[]\n")


def commands(command=main, path=()):
    """Yield all verbs and subcommands with their paths."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


COMMANDS = dict(commands())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help(path):
    """Help has one sentence, a paragraph, options and an example; nothing is cut off."""
    text = here(*path, "--help", env={"COLUMNS": "80"}).output
    assert all(len(line) <= 80 for line in text.splitlines())
    assert not re.search(r"(…|\.\.\.)$", text.partition("\n")[2], re.MULTILINE)
    if path:
        sentence, _, more = COMMANDS[path].help.partition("\n\n")
        assert re.fullmatch(r"[A-Z][^.]*\.", sentence)
        assert len(path) > 1 or sentence == VERBS[path[0]]
        assert more and "Options:" in text and re.search(r"^  Examples?:$", text, re.MULTILINE)
        assert all(option.help for option in COMMANDS[path].params if isinstance(option, click.Option))


EXAMPLES = [line.split() for path, each in COMMANDS.items() if path for line in each.epilog.splitlines()[2:]]


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_examples(words):
    """Every example of the help can be parsed."""
    assert words.pop(0) == "duelbench"
    command = main
    while isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words.pop(0))
    command.make_context(command.name, words)


# Output is text that fits the terminal


NASTY = {
    "\x1b[2J\x1b[31mred": r"\x1b[2J\x1b[31mred",
    "two\nlines": r"two\nlines",
    "back\rover": r"back\rover",
    "\u202eturned": r"\u202eturned",
    "\x9b1A": r"\x9b1A",
    "bell\a": r"bell\x07",
    "Szörényi, K² log T → 2·10⁸": "Szörényi, K² log T → 2·10⁸",
}


@pytest.mark.parametrize("text", NASTY)
def test_one_line(text):
    assert one_line(text) == NASTY[text]


def test_fitted_lines(monkeypatch, capsys):
    text = "  where: " + "word " * 40 + "/a/path/that-is/to-be-copied/" + "x" * 60
    monkeypatch.setenv("COLUMNS", "60")
    say(text)
    found = capsys.readouterr().out.splitlines()
    assert [line for line in found if len(line) > 60] == [found[-1]]
    assert found[-1].strip().startswith("/a/path/that-is/")
    assert found[0].startswith("  where: word")
    assert all(line.startswith("    ") for line in found[1:])
    assert " ".join(" ".join(found).split()) == " ".join(text.split())
    monkeypatch.delenv("COLUMNS")
    say("word " * 100 + "end")
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("columns", [30, 60, 80, 200])
def test_tables(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    header = ["", "mean", "± s.e.", "std", "runs"]
    names = ["a", "rucb-with-a-long-label-of-some-forty-letters-in-it", "rucb-with-another-label-that-is-long"]
    rows = [[name, "1,234.5", "12.3", "100.0", "500"] for name in names]
    found = terminal.table(header, rows, drop=("std", "runs"))
    assert len(found) == 4
    assert all(len(line) <= columns for line in found)
    assert all("1,234.5" in line for line in found[1:])
    assert ("std" in found[0]) == (columns > 30)
    assert len(set(found[1:])) == 3
    if columns == 200:
        assert [line.split()[0] for line in found[1:]] == names


# Numbers


@pytest.mark.parametrize(("text", "number"), [("1e3", 1000), ("2.5e1", 25), ("7", 7), (" 12 ", 12), (9, 9)])
def test_whole_numbers(text, number):
    assert WholeRange(1, 10**9).convert(text, None, None) == number


# Names


def test_own_spec_before_shipped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quickstart = shipped("configs") / "quickstart.yaml"
    assert shipped_specs()["quickstart.yaml"] == quickstart
    for name in ("quickstart", "quickstart.yaml", "configs/quickstart.yaml"):
        assert spec_path(Path(name)) == quickstart
    assert spec_path(Path("nothing.yaml")) == Path("nothing.yaml")
    Path("quickstart.yaml").write_text("")
    assert spec_path(Path("quickstart.yaml")) == Path("quickstart.yaml")


# list


def test_list():
    for what, words in {
        "datasets": ("sushi16", "(16 arms)", "btl-uniform", "Kamishima", "datasets fetch mslr-perfect"),
        "figures": ("regret\n", "std\n", "band = sem", "normalize_by"),
    }.items():
        assert all(word in here("list", what).stdout for word in words)


def listed(*filters):
    """Return the goal, year and needs of each listed algorithm, by name."""
    header, *rows = here("list", "algorithms", *filters).stdout.splitlines()
    assert header.split() == ["goal", "year", "needs"]
    return {name: tuple(rest) for name, *rest in (line.split(None, 3) for line in rows)}


def test_list_algorithms():
    found = listed()
    assert list(found) == list(catalogue())
    assert found["d-ts"] == ("regret", "2016", "nothing")
    assert found["if"] == ("regret", "2012", "total order, SST, STI; horizon")  # it declares, and bounds its regret
    assert found["dkwt"] == ("identification", "2021", "Condorcet winner, no pair at 1/2")
    assert found["detect"][:2] == ("regret", "2022")  # of arXiv 2202.00935
    assert found["uniform"][1] == "—"
    assert found["doubt"] == ("ranking", "—", "Bradley–Terry–Luce model")  # regret is not its goal
