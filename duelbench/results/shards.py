"""``.shard-3-of-64.json``: what a shard of an experiment has done, until a last execution takes it into the manifest.

Each shard writes a file of its own, so many of them need not know of each other, nor lock anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duelbench.layout import ALL_SHARDS, LONGEST_NUMBER, MOST_BYTES_OF_A_MANIFEST
from duelbench.reading import read_json
from duelbench.writing import write_whole


@dataclass
class ShardRecord:
    """The ``executions`` of a shard, as in a manifest, and the ``seconds`` of (dataset, algorithm, number of a run)."""

    executions: list[dict[str, Any]] = field(default_factory=list)
    seconds: list[tuple[str, str, int, float]] = field(default_factory=list)


def read_shard(path: Path) -> ShardRecord:
    """Return the record of a shard, as far as it makes sense; an empty one where there is none."""
    try:
        found = read_json(path, MOST_BYTES_OF_A_MANIFEST)
        executions = [each for each in found["executions"] if isinstance(each, dict)]
        return ShardRecord(executions, [_checked(*each) for each in found["seconds"]])
    except (OSError, ValueError, KeyError, TypeError):
        return ShardRecord()


def _checked(dataset: Any, algorithm: Any, number: Any, seconds: Any) -> tuple[str, str, int, float]:
    if not 0 <= int(number) < 10**LONGEST_NUMBER or not 0 <= float(seconds) < 1e18:
        raise ValueError("no run, or no time")
    return str(dataset), str(algorithm), int(number), float(seconds)


def write_shard(path: Path, record: ShardRecord) -> None:
    """Write the record of a shard."""
    write_whole(path, json.dumps({"executions": record.executions, "seconds": record.seconds}, ensure_ascii=False))


def read_shards(directory: Path) -> Sequence[ShardRecord]:
    """Return the records of all shards of an experiment."""
    return [read_shard(path) for path in sorted(directory.glob(ALL_SHARDS))]


def forget_shards(directory: Path) -> None:
    """Remove the records of all shards: a manifest has them now."""
    for path in directory.glob(ALL_SHARDS):
        path.unlink(missing_ok=True)
