"""What is printed is text: it neither steers the terminal nor begins lines of its own."""

import pytest

from duelbench.cli import terminal
from duelbench.cli.terminal import LONGEST, one_line, say

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
def test_one_line_is_one_line_and_steers_nothing(text):
    assert one_line(text) == NASTY[text]


def test_what_is_long_keeps_its_beginning_and_its_end():
    said = one_line("wrong here " + "x" * 100_000 + " do this")
    assert len(said) < LONGEST
    assert said.startswith("wrong here") and said.endswith("do this")


@pytest.mark.parametrize("err", [False, True])
def test_lines_of_ours_stay_lines(capsys, err):
    say("one\ntwo\x1b[2J", err=err)
    say(err=err)
    printed = capsys.readouterr()
    assert (printed.err if err else printed.out) == "one\ntwo\\x1b[2J\n\n"


def lines(text, monkeypatch, capsys, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    say(text)
    return capsys.readouterr().out.splitlines()


def test_long_lines_are_broken_between_words(monkeypatch, capsys):
    text = "  where: " + "word " * 40 + "/a/path/that-is/to-be-copied/" + "x" * 60
    found = lines(text, monkeypatch, capsys, 60)
    assert [line for line in found if len(line) > 60] == [found[-1]]
    assert found[-1].strip().startswith("/a/path/that-is/")
    assert found[0].startswith("  where: word")
    assert all(line.startswith("    ") for line in found[1:])
    assert " ".join(" ".join(found).split()) == " ".join(text.split())


def test_without_a_terminal_lines_are_whole(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    say("word " * 100 + "end")
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("columns", [30, 60, 80, 200])
def test_tables_fit(monkeypatch, columns):
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


def test_names_are_shortened_in_their_middle():
    assert terminal.shortened("abcdefghij", 10) == "abcdefghij"
    assert terminal.shortened("abcdefghijk", 10) == "abcde…hijk"
    assert terminal.shortened("abc", 1) == "…"
