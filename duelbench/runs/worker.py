"""What runs in a worker: some runs of one series, from plain data to the text of their result files."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from duelbench.runs.plan import Series
from duelbench.runs.results import run_text
from duelbench.runs.run import play_run

REPORT_EVERY = 0.1
"""Seconds between two reports of progress."""


@dataclass(frozen=True)
class Chunk:
    """Runs of one series that a worker plays in one go: (number, seed, index of the run under that seed, key)."""

    series: Series
    runs: tuple[tuple[int, int, int, str], ...]


@dataclass(frozen=True)
class Outcome:
    """A finished run: the text of its file, or the traceback of its failure; and the seconds that it took."""

    number: int
    key: str
    text: str
    failed: bool
    seconds: float


def play_chunk(chunk: Chunk, report: Callable[[int], None] | None = None) -> list[Outcome]:
    """Play the runs of a chunk; a run that fails does not stop the others.

    ``report`` is told, now and then, how many rounds of the chunk have been played so far.
    """
    outcomes = []
    rounds, reported = 0, time.monotonic()

    def count(more: int) -> None:
        nonlocal rounds, reported
        rounds += more
        if report is not None and time.monotonic() - reported > REPORT_EVERY:
            report(rounds)
            reported = time.monotonic()

    for number, seed, run, key in chunk.runs:
        began = time.perf_counter()
        try:
            text, failed = run_text(key, chunk.series, play_run(chunk.series, seed, run, count)), False
        except Exception:
            text, failed = traceback.format_exc(), True
        outcomes.append(Outcome(number, key, text, failed, time.perf_counter() - began))
    return outcomes
