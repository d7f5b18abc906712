"""Files appear whole or not at all."""

from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.writing import whole, write_whole


def test_nothing_is_there_before_the_end_and_nothing_beside_it_after(tmp_path):
    path = tmp_path / "new" / "deep" / "x.csv"
    with whole(path) as file:
        file.write(b"all of it")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"all of it"
    assert [each.name for each in path.parent.iterdir()] == ["x.csv"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_what_is_there(tmp_path, error):
    path = tmp_path / "x.csv"
    path.write_text("as it was")
    with pytest.raises(type(error)), whole(path) as file:
        file.write(b"half")
        raise error
    assert path.read_text() == "as it was"
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.parametrize("where", ["the file", "its temporary name"])
def test_links_are_replaced_and_not_followed(tmp_path, where, monkeypatch):
    names = iter(["taken", "free"])
    monkeypatch.setattr("duelbench.writing.secrets.token_hex", lambda _: next(names))
    name = "x.csv" if where == "the file" else ".x.csv.taken"
    if where == "its temporary name":
        (tmp_path / "precious").write_text("mine")
        (tmp_path / name).symlink_to(tmp_path / "precious")
        with pytest.raises(UserError, match="File exists"):
            write_whole(tmp_path / "x.csv", "new")
        assert (tmp_path / "precious").read_text() == "mine"
        return
    (tmp_path / "precious").write_text("mine")
    (tmp_path / name).symlink_to(tmp_path / "precious")
    write_whole(tmp_path / "x.csv", "new")
    assert (tmp_path / "precious").read_text() == "mine"
    assert (tmp_path / "x.csv").read_text() == "new"
    assert not (tmp_path / "x.csv").is_symlink()


def test_what_somebody_has_cleaned_away_is_written_again(tmp_path, monkeypatch):
    """As when a command that finishes removes the temporary files of one that still writes."""
    names, replace = iter(["first", "second"]), Path.replace
    monkeypatch.setattr("duelbench.writing.secrets.token_hex", lambda _: next(names))

    def clean(path, target):
        if path.name.endswith("first"):
            path.unlink()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", clean)
    write_whole(tmp_path / "x.csv", "all of it")
    assert (tmp_path / "x.csv").read_text() == "all of it"
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_text_is_utf8_with_unix_lines_and_escapes_for_what_is_no_text(tmp_path):
    write_whole(tmp_path / "x", "é\n\ud800")
    assert (tmp_path / "x").read_bytes() == b"\xc3\xa9\n\\ud800"


def test_where_nothing_can_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write .*see to it and repeat the command"):
        write_whole(tmp_path / "file" / "x", "text")
