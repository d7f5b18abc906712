"""Files that may come from anywhere: only plain ones are read, and JSON only so deep."""

import json
import os

import pytest

from duelbench.reading import MAX_DEPTH, read_json, regular


def test_only_plain_files_are_read(tmp_path):
    (tmp_path / "plain").write_text("1")
    assert regular(tmp_path / "plain") == tmp_path / "plain"
    assert read_json(tmp_path / "plain") == 1
    os.mkfifo(tmp_path / "pipe")
    for name, said in ((".", "directory"), ("pipe", "plain"), ("missing", "No such file")):
        with pytest.raises(OSError, match=said):
            read_json(tmp_path / name)


@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_json_has_so_many_levels_with_what_is_in_them_and_no_more(tmp_path, brackets):
    def nested(levels):
        (tmp_path / "x").write_text(brackets[:-1] * levels + "1" + brackets[-1] * levels)
        return read_json(tmp_path / "x")

    assert json.dumps(nested(MAX_DEPTH - 1)).count(brackets[0]) == MAX_DEPTH - 1
    for levels in (MAX_DEPTH, 200_000):
        with pytest.raises(ValueError, match="nested too deep"):
            nested(levels)
    (tmp_path / "x").write_text("{")
    with pytest.raises(ValueError, match="Expecting"):
        read_json(tmp_path / "x")
