"""Rows of files of all kinds, their lines, and files that are none."""

import gzip
import json

import pytest

from duelbench.errors import UserError
from duelbench.sources.votes import tables
from duelbench.sources.votes.tables import open_table


def rows(path, *names):
    """Return the columns, the rows and what is refused, each with its line."""
    refused = []
    table = open_table(path)
    found = list(table.rows(names or table.columns, lambda line, reason: refused.append((line, reason))))
    return table.columns, found, refused


def written(tmp_path, content, name="f.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c\n1,2,3\n4,5,6\n",
        "\ufeffa,b,c\r\n1,2,3\r\n4,5,6",
        "a;b;c\n1;2;3\n4;5;6\n",
        "a\tb\tc\n1\t2\t3\n4\t5\t6\n",
        'a|b|c\n1|"2"|3\n4|5|6\n',
        "a,b,c\r1,2,3\r4,5,6\r",
    ],
)
def test_cells_separated_by_something(tmp_path, content):
    assert rows(written(tmp_path, content), "c", "a") == (("a", "b", "c"), [(2, ("3", "1")), (3, ("6", "4"))], [])


def test_quoted_cells_may_have_lines_and_the_line_is_the_one_where_a_row_begins(tmp_path):
    content = '# a note\n\na,b\n1,"x\ny, ""z"""\n2,y\n\n3\n4,"5"6\n5,6,7\n8,9\n'
    _, found, refused = rows(written(tmp_path, content))
    assert found == [(4, ("1", 'x\ny, "z"')), (6, ("2", "y")), (11, ("8", "9"))]
    assert [line for line, _ in refused] == [8, 9, 10]
    assert "fewer" in refused[0][1] and "quotation" in refused[1][1] and "more" in refused[2][1]


def test_a_cell_may_be_a_long_text(tmp_path):
    long = "x" * 1_000_000
    assert rows(written(tmp_path, f'a,b\n1,"{long}"\n'))[1] == [(2, ("1", long))]


@pytest.mark.parametrize("pack", [lambda content: content, gzip.compress])
def test_objects_of_json(tmp_path, pack):
    objects = [{"a": 1, "b": "x", "n": None}, {"b": True, "a": 0.5}, {"a": [1]}, {"c": 3}]
    lines = "\n".join(map(json.dumps, objects)) + "\nnonsense\n[1]\n"
    expected = [(1, ("1", "x", "")), (2, ("0.5", "true", "")), (4, ("", "", "3"))]
    columns, found, refused = rows(written(tmp_path, pack(lines.encode()), "f.jsonl"), "a", "b", "c")
    assert columns == ("a", "b", "n", "c")
    assert found == expected
    assert [line for line, _ in refused] == [3, 5, 6]
    array = json.dumps([*objects, 7], indent=1)
    columns, found, refused = rows(written(tmp_path, pack(array.encode()), "f.json"), "a", "b", "c")
    assert found == expected
    assert [line for line, _ in refused] == [3, 5]


@pytest.mark.parametrize(
    ("name", "content", "line", "says"),
    [
        ("f.csv", b"", None, "the file is empty"),
        ("f.csv", b"\n\n \n", None, "the file holds no rows"),
        ("f.csv", b"one column\n1\n", 1, "is no header"),
        ("f.csv", b"a,b\n1,\xe9\n", None, "not UTF-8 text: save it as UTF-8"),
        ("f.csv", "a,b\n1,2\n".encode("utf-16"), None, "UTF-16"),
        ("f.csv", b"a\0b,c\n", None, "this is no text"),
        ("f.csv", b"PK\x03\x04...", None, "zip archive"),
        ("f.csv", b'a,b\n1,2\n3,"4\n5,6\n', 3, "a quotation mark is missing"),
        ("f.csv", b'a,"b\n1,2\n', 1, "a quotation mark is missing"),
        ("f.csv", b"a,b\n" + b"x" * (tables.MAX_LINE + 1), 2, "more than 16,777,216 characters"),
        ("f.csv.gz", gzip.compress(b"a,b\n" * 1000, mtime=0)[:-20], None, "damaged or cut off"),
        ("f.csv.gz", b"\x1f\x8bnonsense", None, "damaged or cut off"),
        ("f.json", b'[{"a": 1}, {]', 1, "no array of JSON objects"),
        ("f.json", b"[" * 100_000, None, "no array of JSON objects"),
    ],
)
def test_files_that_are_no_rows(tmp_path, name, content, line, says):
    with pytest.raises(UserError) as caught:
        rows(written(tmp_path, content, name))
    assert says in caught.value.message
    assert caught.value.source == str(tmp_path / name)
    assert caught.value.line == line


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="there is no such file"):
        open_table(tmp_path / "f.csv")
    with pytest.raises(UserError, match="it is a directory"):
        open_table(tmp_path)


def test_a_large_array_is_not_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MAX_ARRAY", 10)
    with pytest.raises(UserError, match="write an object on each line"):
        open_table(written(tmp_path, '[{"a": 1, "b": 2}]', "f.json"))
