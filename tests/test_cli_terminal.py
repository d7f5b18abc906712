"""What is printed is text: it neither steers the terminal nor begins lines of its own."""

import pytest

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
