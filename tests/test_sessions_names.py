"""Names of arms and judges, and the files that they are in."""

import pytest

from duelbench.errors import UserError
from duelbench.sessions.names import checked_name, checked_names, read_names


@pytest.mark.parametrize("name", ["a", "gpt, big", '"quoted"', "β", "名前", "a;b\\c", "=1+1", "#x", "x" * 200])
def test_names_are_any_visible_text(name):
    assert checked_name(name) == name


@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "a\tb", "\x1b[2J", "\ud800", "a\u202eb", "x" * 201, 3, None])
def test_other_names_are_refused(name):
    with pytest.raises(UserError):
        checked_name(name)


def test_two_arms_at_least_and_no_name_twice():
    with pytest.raises(UserError, match="'a' is the name of two arms"):
        checked_names(["a", "b", "a"])
    with pytest.raises(UserError, match="at least two arms, not 1"):
        checked_names(["a"])


def test_a_file_of_names(tmp_path):
    path = tmp_path / "arms.txt"
    path.write_bytes("\ufeffa, b\r\n\r\n  β \nlast".encode())
    assert read_names(path) == ["a, b", "β", "last"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\nb\na\n", r"arms.txt:3: 'a' is in line 1 already"),
        (b"a\nb\x1bc\n", r"arms.txt:2: the name of an arm is one line"),
        (b"a\n", r"arms.txt: a session needs at least two arms, and this has 1"),
        (b"", "this has 0"),
        (b"\xff\xfe\n", "is not UTF-8 text"),
        (b"a" * 300 + b"\nb\n", r"arms.txt:1: the name of an arm has at most 200"),
        (None, "cannot read"),
    ],
)
def test_files_that_are_none(content, said, tmp_path):
    path = tmp_path / "arms.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=said):
        read_names(path)


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        read_names(tmp_path)
