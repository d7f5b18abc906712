"""Files that may come from anywhere: only plain ones are read, and JSON only so deep."""

import json
import os

import pytest

from duelbench.reading import MAX_DEPTH, read_json, regular


def test_only_plain_files_are_read(tmp_path):
    (tmp_path / "plain").write_text("1")
    assert regular(tmp_path / "plain") == tmp_path / "plain"
    assert read_json(tmp_path / "plain", 1) == 1
    os.mkfifo(tmp_path / "pipe")
    for name, said in ((".", "directory"), ("pipe", "plain"), ("missing", "No such file")):
        with pytest.raises(OSError, match=said):
            read_json(tmp_path / name, 1)


@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_json_has_so_many_levels_with_what_is_in_them_and_no_more(tmp_path, brackets):
    def nested(levels):
        (tmp_path / "x").write_text(brackets[:-1] * levels + "1" + brackets[-1] * levels)
        return read_json(tmp_path / "x", 2_000_000)

    assert json.dumps(nested(MAX_DEPTH - 1)).count(brackets[0]) == MAX_DEPTH - 1
    for levels in (MAX_DEPTH, 200_000):
        with pytest.raises(ValueError, match="nested too deep"):
            nested(levels)
    (tmp_path / "x").write_text("{")
    with pytest.raises(ValueError, match="Expecting"):
        read_json(tmp_path / "x", 1)


def test_files_that_are_larger_than_they_can_be_are_not_read(tmp_path):
    path = tmp_path / "x"
    path.write_text("[1]")
    assert regular(path, 3) == path
    with pytest.raises(OSError, match="larger"):
        regular(path, 2)
    with path.open("wb") as file:
        file.truncate(10**12)  # of nothing
    with pytest.raises(OSError, match="larger"):
        read_json(path, 10**6)
