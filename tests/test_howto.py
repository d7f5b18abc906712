"""The how-to pages do what they say: their blocks run in order in an empty directory, and print what is shown."""

import re
import shlex

import pytest

from tests.commands import here
from tests.pages import HOWTO, fences


def ran(line):
    """Return what a command of a page prints, in this process; without notes on stderr, such as of compiling."""
    words = shlex.split(line, comments=True)[1:]
    result = here(*words, *(["-j", "0"] if words[0] == "advise" else []))
    assert result.exit_code == 0, (line, result.output)
    return result.stdout


def pattern(text):
    """Return the regular expression for an output, of which a line … stands for any number of lines."""
    return "".join(r"(.*\n)*?" if line == "…\n" else re.escape(line) for line in text.splitlines(keepends=True))


@pytest.mark.parametrize("page", HOWTO)
def test_page(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, printed, compared = {}, "", 0
    for language, text in fences(page):
        if language == "python":
            exec(compile(text, page, "exec"), names)
            printed = capsys.readouterr().out
        elif language == "text":
            assert re.fullmatch(pattern(text), printed), printed
            compared += 1
        else:
            printed = "".join(map(ran, text.splitlines()))
    assert compared
