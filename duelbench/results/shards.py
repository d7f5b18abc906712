"""``.shard-3-of-64.json``: the record of a shard, until a final execution copies it into the manifest.

Each shard writes its own file, so shards need neither communication nor locks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from duelbench.files import read_json, write_whole
from duelbench.layout import ALL_SHARDS, shard_file
from duelbench.results.identity import Labels
from duelbench.results.manifest import Seconds

SHOWN = 10
"""Maximum number of shards that a message names."""


class ShardRecord(BaseModel):
    """The ``executions`` of a shard, as in a manifest, and the ``seconds`` of its runs by (dataset, algorithm)."""

    executions: list[dict[str, Any]] = Field(default_factory=list)
    seconds: list[tuple[str, str, Seconds]] = Field(default_factory=list)

    def add(self, seconds: dict[Labels, Seconds]) -> None:
        """Add the durations of runs by series."""
        self.seconds += [(*labels, each) for labels, each in seconds.items() if each.runs]


def read_shard(path: Path) -> ShardRecord:
    """Return the record of a shard; an empty one if there is none, or it cannot be read."""
    try:
        return ShardRecord.model_validate(read_json(path))
    except (OSError, ValueError):
        return ShardRecord()


def shard_of(directory: Path, number: int, of: int) -> ShardRecord:
    """Return the record of shard ``number`` of ``of``."""
    return read_shard(directory / shard_file(number, of))


def write_shard(directory: Path, number: int, of: int, record: ShardRecord) -> None:
    """Write the record of a shard."""
    text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False)
    write_whole(directory / shard_file(number, of), text)


def read_shards(directory: Path) -> list[ShardRecord]:
    """Return the records of all shards of an experiment."""
    return [read_shard(path) for path in sorted(directory.glob(ALL_SHARDS))]


def progress_of_shards(directory: Path) -> str:
    """Return the progress of the shards of an experiment as text; empty if there are none."""
    last = [record.executions[-1] for record in read_shards(directory) if record.executions]
    if not last:
        return ""
    of = str(last[0].get("shard")).rpartition("/")[2]
    open_ = [str(each.get("shard")) for each in last if not each.get("ended")]
    progress = f"shards: {len(last)} of {of} started, {len(last) - len(open_)} finished"
    if open_:
        named = ", ".join(open_[:SHOWN]) + ("…" if len(open_) > SHOWN else "")
        progress += f"; running or killed: {named}"
    return progress


def forget_shards(directory: Path) -> None:
    """Remove the records of all shards, which the manifest now has."""
    for path in directory.glob(ALL_SHARDS):
        path.unlink(missing_ok=True)
