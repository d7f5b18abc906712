"""The records of shards: what makes no sense is nothing."""

import json

import pytest

from duelbench.layout import shard_file
from duelbench.runs.shard_record import ShardRecord, forget_shards, read_shard, read_shards, write_shard


def test_a_record_is_read_as_it_was_written(tmp_path):
    record = ShardRecord([{"began": "now"}], [("a", "b", 3, 0.5)])
    write_shard(tmp_path / shard_file(1, 2), record)
    write_shard(tmp_path / shard_file(2, 2), ShardRecord())
    assert read_shards(tmp_path) == [record, ShardRecord()]
    forget_shards(tmp_path)
    assert read_shards(tmp_path) == []


@pytest.mark.parametrize(
    "found",
    [
        [],
        {"executions": []},
        {"executions": 3, "seconds": []},
        {"executions": [], "seconds": [["a", "b", -1, 0.5]]},
        {"executions": [], "seconds": [["a", "b", 10**12, 0.5]]},
        {"executions": [], "seconds": [["a", "b", 1, 1e30]]},
        {"executions": [], "seconds": [["a", "b"]]},
    ],
)
def test_what_makes_no_sense_is_nothing(tmp_path, found):
    path = tmp_path / shard_file(1, 2)
    path.write_text(json.dumps(found))
    assert read_shard(path) == ShardRecord()
