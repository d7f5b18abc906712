"""Files: atomic writing, reading only plain files, and names from one module."""

import os
import shutil

import pytest

from duelbench import load_results
from duelbench.analysis.compare import compare
from duelbench.errors import UserError
from duelbench.files import read_json, regular, whole, write_whole
from duelbench.layout import BOUNDS, SUMMARY
from duelbench.results.results import Results
from tests.experiments import own_algorithm, played

# Written whole


def test_whole(tmp_path):
    path = tmp_path / "new" / "deep" / "x.csv"
    with whole(path) as file:
        file.write(b"all of it")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"all of it"
    assert [each.name for each in path.parent.iterdir()] == ["x.csv"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_failed_write(tmp_path, error):
    path = tmp_path / "x.csv"
    path.write_text("as it was")
    with pytest.raises(type(error)), whole(path) as file:
        file.write(b"half")
        raise error
    assert path.read_text() == "as it was"
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_unwritable_place(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write .*fix this and repeat the command"):
        write_whole(tmp_path / "file" / "x", "text")


# Read only if plain


def test_plain_files_only(tmp_path):
    (tmp_path / "plain").write_text("1")
    assert regular(tmp_path / "plain") == tmp_path / "plain"
    assert read_json(tmp_path / "plain") == 1
    os.mkfifo(tmp_path / "pipe")
    for name, said in ((".", "directory"), ("pipe", "plain"), ("missing", "No such file")):
        with pytest.raises(OSError, match=said):
            read_json(tmp_path / name)


@pytest.mark.parametrize(("text", "said"), [("{", "Expecting"), ("[" * 200_000, "nested too deep"), ("\xff", "utf-8")])
def test_damaged_json(tmp_path, text, said):
    (tmp_path / "x").write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=said):
        read_json(tmp_path / "x")


# Tables that are edited or damaged


SPEC = """\
horizon: 20
runs: 3
datasets: [six-rankers]
algorithms: ['one.py:One']
figures: [{kind: regret, bounds: [LB]}]
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    base = tmp_path_factory.mktemp("sound")
    (base / "one.py").write_text(own_algorithm(name="One"))
    return played(base, SPEC).directory


@pytest.fixture
def results(sound, tmp_path):
    return shutil.copytree(sound, tmp_path / "out")


READERS = {
    SUMMARY: [lambda path: Results(path).checkpoints, load_results, lambda path: compare(path, path)],
    BOUNDS: [lambda path: Results(path).bounds],
}


@pytest.mark.parametrize("name", READERS)
def test_edited_tables(results, name):
    """Tables that users have edited are still read."""
    path = results / name
    first, row, *rest = path.read_text().splitlines()
    digit = row.rindex(",1") + 1 if name == BOUNDS else row.index("0.")
    path.write_text("\r\n".join([first, row[:digit] + "2" + row[digit + 1 :], *rest]))
    for read in READERS[name]:
        read(results)


DAMAGES = {
    "a cell less": (SUMMARY, lambda cells: cells[:-1]),
    "a cell more": (SUMMARY, lambda cells: [*cells, "1"]),
    "a word": (SUMMARY, lambda cells: [*cells[:5], "often", *cells[6:]]),
    "no mean": (SUMMARY, lambda cells: [*cells[:5], "", *cells[6:]]),
    "half a run": (SUMMARY, lambda cells: [*cells[:4], "0.5", *cells[5:]]),
    "a negative error": (SUMMARY, lambda cells: [*cells[:7], "-1", *cells[8:]]),
    "no number": (BOUNDS, lambda cells: [*cells[:4], "x", *cells[5:]]),
    "a short line": (BOUNDS, lambda cells: cells[:3]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_tables(results, damage):
    """The error names the file and the line."""
    name, change = DAMAGES[damage]
    path = results / name
    lines = path.read_text().splitlines()
    place = min(3, len(lines) - 1)
    lines[place] = ",".join(change(lines[place].split(",")))
    path.write_text("\n".join(lines) + "\n")
    for read in READERS[name]:
        with pytest.raises(UserError, match="`duelbench run` the spec again to rewrite it") as caught:
            read(results)
        assert (caught.value.source, caught.value.line) == (str(path), place + 1)


# Laid out by one module
