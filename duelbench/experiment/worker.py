"""The work of a worker: some runs of one series, from plain data to the text of their result files."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace

from duelbench.algorithms.algorithm import Algorithm
from duelbench.engine.warm import load
from duelbench.errors import UserError
from duelbench.experiment.code import code_of
from duelbench.experiment.global_generators import drawn_since, global_generators
from duelbench.experiment.processes import Heartbeat
from duelbench.experiment.run import play_run
from duelbench.experiment.series import PlannedRun, Series
from duelbench.results.files import Outcome, run_text
from duelbench.versions.record import Subject

REPORT_EVERY = 0.1
"""Seconds between two reports of progress."""
LOADING = 300.0
"""Seconds that it may take to load the kernels, or to compile them."""
GRACE = 1.0
"""Seconds that a run has to notice by itself that its time is over, which spares the worker."""


@dataclass(frozen=True)
class Chunk:
    """Runs of one series that a worker plays in one go.

    ``again``: a worker has died under this run already, so it is played alone.
    """

    series: Series
    runs: tuple[PlannedRun, ...]
    again: bool = False


def play_chunk(chunk: Chunk, timeout: float | None = None, heartbeat: Heartbeat | None = None) -> list[Outcome]:
    """Play the runs of a chunk; a run that fails, or takes longer than ``timeout`` seconds, does not stop the others.

    The time is looked at where rounds are reported. A run that never gets there dies with its worker, if there is a
    ``heartbeat``.

    Raises UserError when the code here is not that of the command.
    """
    _check_code(chunk.series)
    outcomes, kind = [], chunk.series.algorithm.load()
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
        load(chunk.series.algorithm.build(), chunk.series.dataset.arms)
    for run in chunk.runs:
        began = time.monotonic()
        if heartbeat is not None:
            heartbeat.begin(str(run.number), None if timeout is None else timeout + GRACE)
        try:
            rows = play_run(chunk.series, run.seed, run.repeat, count)
            text, failed = run_text(run.key, chunk.series.columns, rows), False
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and heartbeat is None:  # Ctrl-C; a worker is not interrupted by it
                raise
            text, failed = traceback.format_exc(), True
        if heartbeat is not None:
            heartbeat.end()
        outcomes.append(Outcome(run.number, run.key, text, failed, time.monotonic() - began))
    if kind.source_text and (left := drawn_since(generators) or _changed_values(kind)):
        return [replace(each, text=f"ValueError: {left}\n", failed=True) for each in outcomes]
    return outcomes


def _changed_values(kind: type[Algorithm]) -> str:
    """Return what is wrong with an algorithm whose module holds other values than before the runs."""
    if kind.values_now() == kind.values:
        return ""
    return "playing changed a value of the algorithm's module, so runs depend on earlier runs: create it in start"


def _check_code(series: Series) -> None:
    """Refuse to play with other code than the command's, which has determined the keys: workers may be anywhere."""
    what = series.algorithm.load(), series.dataset.dataset.drawn_by, series.algorithm.reference
    if what in _checked:
        return
    here, there = code_of(*what), series.code  # which has come along with the series
    if here != there:
        different = [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
        raise UserError(
            f"a worker has another version of {', '.join(different)} than the command: update it, if it is on another "
            "machine, and repeat the command"
        )
    _checked.add(what)


_checked: set[tuple[type, tuple[Subject, ...], bool]] = set()
