"""The task of a worker process: play runs of one series and return the text of their result files."""

from __future__ import annotations

import inspect
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import class_line
from duelbench.compiling.randomness import drawn_since, global_generators
from duelbench.engine.warm import load
from duelbench.errors import UserError
from duelbench.experiment.code import code_of
from duelbench.experiment.run import play_run
from duelbench.experiment.series import PlannedRun, Series
from duelbench.processes import Heartbeat
from duelbench.results.run_files import Outcome, run_text
from duelbench.versions.record import Subject

REPORT_EVERY = 0.1
"""Seconds between two progress reports."""
LOADING = 300.0
"""The time limit for loading or compiling the kernels, in seconds."""
GRACE = 1.0
"""Seconds from the time limit until the worker is killed, in which a run can still stop by itself."""


@dataclass(frozen=True)
class Chunk:
    """Runs of one series that a worker plays as one task.

    ``again``: a worker has already died during this run, so it is played alone.
    """

    series: Series
    runs: tuple[PlannedRun, ...]
    again: bool = False


def play_chunk(chunk: Chunk, timeout: float | None = None, heartbeat: Heartbeat | None = None) -> list[Outcome]:
    """Play the runs of a chunk; a run that fails, or takes longer than ``timeout`` seconds, does not stop the others.

    The time limit is checked at each progress report. If a run never reports progress, its worker is killed, if there
    is a ``heartbeat``.

    Raises UserError when the code of this process is not that of the command.
    """
    _check_code(chunk.series)
    outcomes, kind = [], chunk.series.algorithm.kind
    generators = global_generators() if kind.source_text else {}
    rounds, reported, began = 0, time.monotonic(), 0.0

    def count(more: int) -> None:
        nonlocal rounds, reported
        rounds += more
        now = time.monotonic()
        if timeout is not None and now - began > timeout:
            raise TimeoutError(f"the run took longer than run_timeout = {timeout:g} seconds")
        if heartbeat is not None and now - reported > REPORT_EVERY:
            heartbeat.report(rounds)
            reported = now

    if heartbeat is not None:
        heartbeat.begin(str(chunk.runs[0].number), None if timeout is None else timeout + LOADING)
    if not chunk.series.algorithm.reference:
        load(chunk.series.build(), chunk.series.dataset.arms)
    for run in chunk.runs:
        began = time.monotonic()
        if heartbeat is not None:
            heartbeat.begin(str(run.number), None if timeout is None else timeout + GRACE)
        try:
            rows = play_run(chunk.series, run.seed, run.repeat, count)
            text, failed = run_text(run.key, chunk.series.columns, rows), False
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and heartbeat is None:  # Ctrl-C, which workers ignore
                raise
            text, failed = traceback.format_exc(), True
        if heartbeat is not None:
            heartbeat.end()
        outcomes.append(Outcome(run.number, run.key, text, failed, time.monotonic() - began))
    if kind.source_text and (left := drawn_since(generators) or _changed_values(kind)):
        line = class_line(kind.source_text, kind.__name__, "select")
        text = f"ValueError: {Path(inspect.getfile(kind)).name}:{line}: {left}\n"
        return [replace(each, text=text, failed=True) for each in outcomes]
    return outcomes


def _changed_values(kind: type[Algorithm]) -> str:
    """Return an error message if the runs changed values in the algorithm's modules; empty if not."""
    if kind.values_now() == kind.values:
        return ""
    return (
        "the run changed a value in the algorithm's module, so runs depend on earlier runs: create the value in start"
    )


def _check_code(series: Series) -> None:
    """Raise UserError if this process has other code than the command, whose code determined the keys."""
    what = series.algorithm.kind, series.dataset.source.drawn_by, series.algorithm.reference
    if what in _checked:
        return
    here, there = code_of(*what), series.code  # sent with the series
    if here != there:
        different = [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
        if different == ["its values"]:
            raise UserError("a value in a module of the algorithm differs at each import: compute it in start")
        raise UserError(
            f"a worker has another version of {', '.join(different)} than the command: update it, if it is on another "
            "machine, and repeat the command"
        )
    _checked.add(what)


_checked: set[tuple[type, tuple[Subject, ...], bool]] = set()
