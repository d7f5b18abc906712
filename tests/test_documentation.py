"""Pages of docs/ do what they say: their blocks run in order in an empty directory and print what is shown."""

import html
import json
import re
import shlex
import signal
import subprocess
import urllib.request
from copy import deepcopy
from pathlib import Path

import pytest

import duelbench
from tests.commands import here
from tests.comparison import ROOT
from tests.experiments import PLAIN, command, with_interrupts
from tests.pages import DOCS, fences, text_of

RUN = [page for page in DOCS if "```text\n" in text_of(page)]


def ran(line):
    """Return what a command of a page prints, without messages; exit code 1 means: go on asking."""
    words = shlex.split(line, comments=True)[1:]
    if "--http" in words:
        return served(words)
    result = here(*words, *(["-j", "0"] if words[0] == "advise" else []))
    assert result.exit_code in (0, 1), (line, result.output)
    return result.stdout


def served(words):
    """Let two judges answer the pages of a session; return what the server prints, with the default port.

    Ann prefers the longer text; Bob does so in three of four questions.
    """
    call = command(*words, "--port", 0)
    with subprocess.Popen(call, env=PLAIN, text=True, stdout=subprocess.PIPE, preexec_fn=with_interrupts) as server:
        said = [server.stdout.readline() for _ in range(3)]
        link = said[0].split()[-1].partition("?")[0]
        for judge, wrong in (("ann", 99), ("bob", 4)):
            turn = {"ask": 1}
            for n in range(1, 17):
                sent = json.dumps({**turn, "judge": judge}).encode()
                request = urllib.request.Request(link, sent, {"Content-Type": "application/json"})
                with urllib.request.urlopen(request, timeout=60) as reply:
                    page = html.unescape(json.load(reply)["html"])
                first, second = re.findall(r'<section class="side"(.*?)</section>', page, re.S)
                longer = (len(first) > len(second)) == (n % wrong > 0)
                turn = {"tell": int(re.search(r'"tell": (\d+)', page)[1]), "answer": "first" if longer else "second"}
        server.send_signal(signal.SIGINT)
        said += server.stdout
    return re.sub(r":\d+/", ":8000/", "".join(said))


def shows(text, printed):
    """Return whether a text matches what was printed, up to spaces; … stands for any characters or any lines."""
    lines = re.sub(" +", " ", text).splitlines(keepends=True)
    pattern = "".join("(.*\n)*?" if line == "…\n" else re.escape(line).replace("…", ".*") for line in lines)
    return re.fullmatch(pattern, re.sub(" +", " ", printed))


@pytest.mark.parametrize("page", RUN)
def test_page(page, tmp_path, monkeypatch, capsys, interpreted):
    monkeypatch.chdir(tmp_path)
    names, printed = {}, ""
    for language, text in fences(page):
        if file := re.match(r"# ([\w-]+\.(?:py|yaml))\n", text):
            Path(file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, page, "exec"), names)
            printed = capsys.readouterr().out
        elif language == "text":
            assert shows(text, printed), printed
        else:
            printed = "".join(map(ran, text.splitlines()))


def test_reference_is_complete():
    listed = re.findall(r"^\.\. auto\w+:: (\w+)$", text_of("docs/api.md"), re.M)
    assert sorted(listed) == sorted(duelbench.__all__)


@pytest.mark.slow
def test_notebook(tmp_path):
    """The notebook's outputs are as shown, including a figure, and without warnings."""
    import nbformat
    from nbclient import NotebookClient

    shown = nbformat.read(ROOT / "docs/tutorials/reproduce-a-paper.ipynb", as_version=4)
    again = NotebookClient(deepcopy(shown), timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()

    def outputs(notebook):
        found = [each for cell in notebook.cells for each in cell.get("outputs", []) if each.get("name") != "stderr"]
        return [each.get("text", sorted(each.get("data", {}))) for each in found]

    assert outputs(again) == outputs(shown)
    assert ["image/png", "text/plain"] in outputs(again)
    assert "Warning" not in str(again.cells)
