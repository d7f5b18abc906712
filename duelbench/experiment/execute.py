"""Playing the missing runs of a plan; the resulting files are the same bytes on any backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from duelbench.engine.warm import warm
from duelbench.experiment.backends import Backend
from duelbench.experiment.bounds import bound_rows
from duelbench.experiment.instances import instance_rows
from duelbench.experiment.plan import Plan
from duelbench.experiment.replay import replay as replay_runs
from duelbench.experiment.replay import to_replay
from duelbench.experiment.schedule import Schedule
from duelbench.experiment.worker import Chunk
from duelbench.files import only_one
from duelbench.results.identity import Labels
from duelbench.results.reader import Results
from duelbench.results.run_files import Outcome, prepare
from duelbench.results.scan import Scanned, move_renamed, scan
from duelbench.results.writer import Execution, ResultWriter, replace_manifest

PATIENCE = 20
"""The time limit of a replay as a multiple of a run's limit: a replay must not fail because the machine is busy."""


def execute(
    plan: Plan,
    directory: Path,
    backend: AbstractContextManager[Backend],
    *,
    announce: Callable[[str], None],
    progress: Callable[..., None],
    run_timeout: float | None = None,
    replay: bool = True,
) -> Execution:
    """Play every run that has no file yet, then write the summary and the manifest.

    ``backend`` plays them; it is entered only if a run is missing. ``announce`` receives lines for the user;
    ``progress`` receives the rounds played so far, those of the whole plan and, while runs are played, the seconds that
    the rest may take, NaN if unknown, a few times a second. A run fails if it raises,
    takes longer than ``run_timeout`` seconds (default: the spec's) or if its worker dies twice; it leaves a
    ``.failed`` file and does not stop the others. No summary is written if files of finished runs are ``gone`` at the
    end. With ``replay`` one run of each series of a user's algorithm is played again, and a series whose replay differs
    is left out of the summary (see ``replay``).

    Raises UserError when the directory cannot be written or a user's algorithm does not compile.
    """
    prepare(directory)
    with only_one(directory, announce):
        renamed = move_renamed(plan.wanted, directory, announce)
        manifest = replace_manifest(directory, plan.resolved, plan.spec.small, plan.spec.source.path, renamed)
        earlier = manifest.seconds_per_run()
        scans = scan(plan.wanted, directory)
        writer = ResultWriter(plan.wanted, directory, scans, announce, manifest)
        done = writer.execution
        for complete in (each for each in scans if not each.missing):
            writer.begin(complete)
        waiting = [each for each in scans if each.missing]
        doubtful = to_replay(plan, scans, Results(directory).finished) if replay else []
        if waiting or doubtful:
            timeout = run_timeout or plan.spec.run_timeout
            compile_kernels(plan, [*waiting, *(each for each in doubtful if not each.missing)], announce)
            writer.retract()
            with backend as opened:
                if waiting:
                    writer.begin_execution(opened.name)
                    try:
                        play_all(
                            Schedule(plan, waiting, opened, writer.begin, earlier), writer, opened, timeout, progress
                        )
                    finally:
                        writer.end_execution()
                if doubtful:
                    announce("replaying one run of each series of your own algorithms…")
                    replay_runs(plan, doubtful, writer, opened, timeout and timeout * PATIENCE)
        progress(writer.total, writer.total)
        matrices = _matrices(plan, done)
        bounds = bound_rows(plan, Results(directory), announce, matrices)
        writer.look_again()
        writer.finish(bounds, instance_rows(plan, Results(directory), matrices))
    return done


def _matrices(plan: Plan, done: Execution) -> dict[str, range | tuple[int, ...]]:
    """Return the numbers of the runs on each dataset: those of its longest series."""
    return {
        planned.label: max(
            (numbers for labels, numbers in done.asked.items() if labels.dataset == planned.label), key=len
        )
        for planned in plan.datasets
    }


def compile_kernels(plan: Plan, waiting: Sequence[Scanned], announce: Callable[[str], None]) -> None:
    """Have the kernels of all that will be played compiled."""
    series = [plan.find(each.series.labels) for each in waiting]
    compiled = [each for each in series if not each.algorithm.reference]
    played = {(each.algorithm.label, each.dataset.arms): each for each in compiled}
    warm([(each.build(), arms) for (_, arms), each in played.items()], announce)


class Keeps(Protocol):
    """A writer of runs, of a whole experiment or of a shard."""

    rounds: int
    total: int

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Write the outcomes of some runs; return the series that need further runs."""


def play_all(
    schedule: Schedule,
    keeper: Keeps,
    backend: Backend,
    run_timeout: float | None,
    progress: Callable[..., None],
) -> None:
    """Play and keep all chunks."""
    pending: dict[Future[list[Outcome]], Chunk] = {}
    shown = 0
    while True:
        window = backend.window()
        while len(pending) < window and (chunk := schedule.next_chunk(alone=not pending)) is not None:
            pending[backend.executor.submit(backend.play, chunk, run_timeout)] = chunk
        if not pending:
            return
        for future in wait(pending, timeout=0.2, return_when=FIRST_COMPLETED).done:
            chunk = pending.pop(future)
            try:
                outcomes = future.result()
            except Exception as error:
                outcomes = schedule.lost(chunk, error)
            else:
                schedule.played(chunk, outcomes)
            schedule.add(keeper.keep(chunk.series.labels, outcomes))
        shown = max(shown, keeper.rounds + backend.rounds())
        progress(shown, keeper.total, schedule.time_left.seconds())
