"""``manifest.json``: the spec of an experiment, the machines that ran it, and the seconds of its runs."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from duelbench import __version__
from duelbench.errors import UserError
from duelbench.files import read_json, write_whole
from duelbench.layout import MANIFEST
from duelbench.spec.resolved import Labels

Unmet = Mapping[Labels, tuple[str, ...]]
"""Unmet assumptions by the labels of dataset and algorithm; pairs without any are omitted."""
_Time = Annotated[float, Field(ge=0, lt=1e18)]


class Seconds(BaseModel):
    """The durations of ``runs`` runs of a series in seconds: their median and their total."""

    model_config = ConfigDict(frozen=True)

    runs: Annotated[int, Field(ge=0)] = 0
    median: _Time = 0.0
    total: _Time = 0.0

    @classmethod
    def of(cls, each: Sequence[float]) -> Seconds:
        """Return the summary of these durations."""
        if not each:
            return cls()
        return cls(runs=len(each), median=round(statistics.median(each), 6), total=round(sum(each), 6))

    def __add__(self, other: Seconds) -> Seconds:
        """Return the summary of both; its median is the mean of the two medians, weighted by runs."""
        runs = self.runs + other.runs
        median = (self.runs * self.median + other.runs * other.median) / max(1, runs)
        return Seconds(runs=runs, median=round(median, 6), total=round(self.total + other.total, 6))


class Extremes(BaseModel):
    """The numbers of the runs of a series with the smallest and the largest regret at the end."""

    best: int | None = None
    worst: int | None = None


class Manifest(BaseModel):
    """The content of ``manifest.json``.

    ``spec``: the resolved spec; other versions may have written other keys. ``small``: whether it is the small variant
    in its file. ``spec_path``: the path of the spec file, relative to the directory of results; ``spec_text``: its text
    when it was run. ``executions``: the executions whose runs remain, except shards; ``series`` lists the series that
    an execution has played, if not all. ``extremes``, ``seconds`` and ``unmet`` (the unmet assumptions): by the labels
    of dataset and algorithm.
    """

    spec: dict[str, Any]
    small: bool = False
    spec_path: str | None = None
    spec_text: str = ""
    executions: list[dict[str, Any]] = Field(default_factory=list)
    extremes: dict[str, dict[str, Extremes]] = Field(default_factory=dict)
    seconds: dict[str, dict[str, Seconds]] = Field(default_factory=dict)
    unmet: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)

    def seconds_of(self, labels: Labels) -> Seconds:
        """Return how long the runs of a series took."""
        return self.seconds.get(labels.dataset, {}).get(labels.algorithm, Seconds())

    def seconds_per_run(self) -> dict[Labels, float]:
        """Return the mean duration of the runs of each series that has any."""
        return {
            Labels(dataset, label): each.total / each.runs
            for dataset, of in self.seconds.items()
            for label, each in of.items()
            if each.runs
        }

    def total_seconds(self) -> float:
        """Return how long all runs took."""
        return sum(each.total for of in self.seconds.values() for each in of.values())


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a directory. Raises FileNotFoundError, or UserError if it cannot be read."""
    path = directory / MANIFEST
    line = None
    try:
        return Manifest.model_validate(read_json(path))
    except FileNotFoundError:
        raise
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        problem = f"{place} is not what this version writes" if place else "it is not a manifest"
    except json.JSONDecodeError as error:
        problem, line = f"it is not a manifest: {error.msg}", error.lineno
    except (OSError, ValueError, TypeError, AttributeError):
        problem = "it is not a manifest"
    raise unreadable(path, problem, line)


def unreadable(path: Path, problem: str, line: int | None = None) -> UserError:
    """Return the error of a manifest that cannot be read."""
    return UserError(
        f"cannot be read ({problem}): `duelbench run` the spec again to rewrite it", source=str(path), line=line
    )


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Write the manifest of a directory."""
    text = json.dumps(manifest.model_dump(mode="json"), indent=1, ensure_ascii=False)
    write_whole(directory / MANIFEST, f"{text}\n")


def beginning(backend: str) -> dict[str, Any]:
    """Return the description of an execution that starts now on this backend, ready for JSON."""
    return {
        "began": now(),
        "ended": None,
        "command": _command(),
        "venue": backend,
        "versions": _versions(),
        "commit": _commit(),
        "machine": _machine(),
    }


def seen_from(directory: Path, path: Path) -> str:
    """Return the path of the spec relative to the results, so that both can be moved together."""
    try:
        return Path(os.path.relpath(path.resolve(), directory.resolve())).as_posix()
    except ValueError:  # another drive
        return str(path.resolve())


def now() -> str:
    """Return the current time in the format of manifests."""
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


@cache
def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "numba", "llvmlite", "pydantic")
    return {"duelbench": __version__, "python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in packages
    }


def _command() -> str:
    """Return the command line of this process."""
    program = Path(sys.argv[0]).name
    return shlex.join([*(["python", "-m", "duelbench"] if program == "__main__.py" else [program]), *sys.argv[1:]])


def _commit() -> str | None:
    """Return the commit of a checkout, with ``+`` if files have changed since; None if there is no checkout.

    Changed results do not count, as the results of this experiment are being replaced.
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
