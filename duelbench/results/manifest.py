"""``manifest.json``: what an experiment was, on what it ran, and how long its runs took."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from duelbench import __version__
from duelbench.layout import MANIFEST, MOST_BYTES_OF_A_MANIFEST
from duelbench.reading import read_json
from duelbench.results.identity import Labels
from duelbench.results.shards import read_shards
from duelbench.sealed import DIGESTS, digests
from duelbench.spec.resolved import ResolvedSpec
from duelbench.writing import write_whole

EXTREMES = "extremes"
"""The key under which are the best and the worst run of each series, by their labels."""

Timings = dict[str, dict[str, list[float | None]]]


class Manifest:
    """The manifest of a directory: written when an execution begins to play, and when it ends, however it does.

    ``small``: the ``spec`` is the small variant of that in the file ``source``. ``executions`` are all those that have
    played runs, as the numbers of a directory may come from several. When it is over, ``taken`` is how many runs each
    series took where that was not settled, and ``extremes`` are the best and the worst run of each.
    """

    def __init__(self, directory: Path, spec: ResolvedSpec, small: bool, source: Path) -> None:
        self._spec, self._small, self._source = spec, small, source
        self._path = directory / MANIFEST
        self._spec_text = source.read_text(encoding="utf-8")
        before = _read(self._path)
        self._executions: list[Any] = [each for each in _list(before.get("executions")) if isinstance(each, dict)]
        self.earlier_timings = _timings(before.get("seconds_per_run"))
        shards = read_shards(directory)
        told = (each for shard in shards for each in shard.executions)  # twice, if one was killed before it forgot them
        self._executions += [each for each in told if each not in self._executions]
        for dataset, label, number, seconds in (each for shard in shards for each in shard.seconds):
            known = self.earlier_timings.setdefault(dataset, {}).setdefault(label, [])
            known += [None] * (number + 1 - len(known))
            known[number] = seconds
        self.taken: dict[str, dict[str, int]] = {}
        self.extremes: dict[str, Any] = {}

    def rename(self, renamed: Mapping[Labels, Labels]) -> None:
        """Note the seconds of series under their new labels; ``renamed`` are the old ones by those."""
        before = {old: self.earlier_timings.get(old.dataset, {}).pop(old.algorithm, None) for old in renamed.values()}
        for new, old in renamed.items():
            if (seconds := before[old]) is not None:
                self.earlier_timings.setdefault(new.dataset, {})[new.algorithm] = seconds

    def begin(self, backend: str) -> None:
        """Note an execution that plays on this backend."""
        self._executions.append(beginning(backend))
        self.write(self.earlier_timings)

    def end(self, timings: Timings, **counts: int) -> None:
        """Note that the execution that has begun is over, and how many runs it has played."""
        self._executions[-1] |= {"ended": now(), **counts}
        self.write(timings)

    def write(self, timings: Timings, tables: Mapping[str, str] = {}) -> None:
        """Write the file; ``timings[dataset][label][number]`` is in seconds, None where unknown.

        Those of datasets that the spec has no more stay, as do their runs. ``tables`` are the texts of the finished
        files beside it, whose digests it has.
        """
        manifest = {
            "spec": self._spec.model_copy(update={"taken": self.taken}).model_dump(mode="json"),
            "small": self._small,
            "spec_path": _seen_from(self._path.parent, self._source),
            "spec_text": self._spec_text,
            "executions": self._executions,
            DIGESTS: digests(tables),
            EXTREMES: self.extremes,
        }
        head = json.dumps(manifest, indent=1, ensure_ascii=False).removesuffix("\n}")
        seconds = json.dumps(self.earlier_timings | timings)  # a million on one line
        if len(head.encode("utf-8", "backslashreplace")) + len(seconds) > MOST_BYTES_OF_A_MANIFEST - 100:
            seconds = "{}"  # it must be possible to read the rest
        write_whole(self._path, f'{head},\n "seconds_per_run": {seconds}\n}}\n')


def beginning(backend: str) -> dict[str, Any]:
    """Return, ready for JSON, what there is to say of an execution that begins to play on this backend."""
    return {
        "began": now(),
        "ended": None,
        "command": _command(),
        "venue": backend,
        "versions": _versions(),
        "commit": _commit(),
        "machine": _machine(),
    }


def _seen_from(directory: Path, path: Path) -> str:
    """Return the way from the results to the spec, which may have moved together to another machine."""
    try:
        return Path(os.path.relpath(path.resolve(), directory.resolve())).as_posix()
    except ValueError:  # another drive
        return str(path.resolve())


def _read(path: Path) -> dict[str, Any]:
    """Return an earlier manifest, as far as it makes sense."""
    try:
        found = read_json(path, MOST_BYTES_OF_A_MANIFEST)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _timings(found: Any) -> Timings:
    return {
        dataset: {label: [_seconds(each) for each in _list(seconds)] for label, seconds in _dict(series).items()}
        for dataset, series in _dict(found).items()
    }


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e18 else None


def now() -> str:
    """Return the time, as manifests have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(": ")[2]
    return platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "numba", "llvmlite", "pydantic")
    return {"duelbench": __version__, "python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in packages
    }


def _command() -> str:
    """Return how to give this command again."""
    program = Path(sys.argv[0]).name
    return shlex.join([*(["python", "-m", "duelbench"] if program == "__main__.py" else [program]), *sys.argv[1:]])


def _commit() -> str | None:
    """Return the commit of a checkout, with ``+`` when its files differ from it; None elsewhere.

    Results do not count: those of an experiment that is made anew are being replaced.
    """
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "--no-optional-locks", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        ).stdout

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!results")
        return git("rev-parse", "HEAD").strip() + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None
