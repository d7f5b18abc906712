"""Playing what is missing of a plan: on any backend, with the same bytes as the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from duelbench.engine.warm import warm
from duelbench.experiment.backends import Backend
from duelbench.experiment.bounds import write_bounds
from duelbench.experiment.instances import write_instances
from duelbench.experiment.plan import Plan
from duelbench.experiment.replay import Replays, unconfirmed
from duelbench.experiment.resolved import resolved
from duelbench.experiment.schedule import Schedule
from duelbench.experiment.trial.described import Described
from duelbench.experiment.trial.kernels import compile_apart
from duelbench.experiment.worker import Chunk
from duelbench.layout import BOUNDS, DETECTIONS, INSTANCES, SUMMARY
from duelbench.results.files import Outcome, prepare
from duelbench.results.identity import Labels
from duelbench.results.lock import only_one
from duelbench.results.manifest import Manifest
from duelbench.results.renamed import move
from duelbench.results.scan import Scanned, scan
from duelbench.results.shards import forget_shards
from duelbench.results.writer import Execution, ResultWriter
from duelbench.writing import write_whole

PATIENCE = 20
"""How many times the limit of a run its replay may take, as that is not to depend on how busy the machine is."""


def execute(
    plan: Plan,
    directory: Path,
    backend: AbstractContextManager[Backend],
    *,
    announce: Callable[[str], None],
    progress: Callable[[int, int], None],
    run_timeout: float | None = None,
    replay: bool = True,
) -> Execution:
    """Play every run whose file is not there yet, then write the summary and the manifest.

    ``backend`` is where they are played; it is entered if there is anything to play. ``announce`` receives lines for
    the user; ``progress`` the rounds done so far, of those of the whole plan, and is called a few times a second. A run
    that fails leaves a ``.failed`` file and does not stop the others, whether it raises, takes longer than
    ``run_timeout`` seconds (default: the spec's) or its worker dies under it, twice. There is no summary where files of
    runs that were finished are ``gone`` at the end. With ``replay`` a run of each series of a user's algorithm is
    played again, and the summary leaves out the series where it differs (see ``replay``).

    Raises UserError when the directory cannot be written or an algorithm of the user's does not compile.
    """
    prepare(directory)
    with only_one(directory, announce):
        manifest = Manifest(directory, resolved(plan), plan.spec.small, plan.spec.source.path)
        manifest.rename(move(plan.wanted, directory, announce))
        scans = scan(plan.wanted, directory)
        keeper = ResultWriter(plan.wanted, directory, scans, manifest.earlier_timings, announce)
        done = keeper.execution
        for complete in (each for each in scans if not each.missing):
            keeper.begin(complete)
        waiting = [each for each in scans if each.missing]
        doubtful = unconfirmed(plan, scans, (directory / SUMMARY).is_file()) if replay else []
        if waiting or doubtful:
            timeout = run_timeout or plan.spec.run_timeout
            compile_kernels(plan, [*waiting, *(each for each in doubtful if not each.missing)], announce)
            (directory / SUMMARY).unlink(missing_ok=True)  # it is there only while it tells of the runs
            with backend as opened:
                if waiting:
                    manifest.begin(opened.name)
                    try:
                        play_all(Schedule(plan, waiting, opened, keeper.begin), keeper, opened, timeout, progress)
                    finally:
                        manifest.end(done.timings, played=done.played, kept=done.kept, failed=len(done.failures))
                replays = Replays(plan, doubtful, keeper)
                if replays.scans:
                    announce("playing a run of each series of your own algorithms again…")
                    patience = timeout and timeout * PATIENCE
                    play_all(Schedule(plan, replays.scans, opened, lambda _: None), replays, opened, patience, progress)
                keeper.total = keeper.rounds = replays.total
        progress(keeper.total, keeper.total)
        tables = {BOUNDS: write_bounds(plan, directory, announce, _matrices(plan, done))}
        (directory / DETECTIONS).unlink(missing_ok=True)
        tables[INSTANCES] = write_instances(plan, directory, _matrices(plan, done))
        keeper.look_again()
        if done.gone:
            (directory / SUMMARY).unlink(missing_ok=True)
        else:
            tables[SUMMARY] = keeper.summary()
            tables[DETECTIONS] = keeper.detections()
            if text := tables[DETECTIONS]:
                write_whole(directory / DETECTIONS, text)
        manifest.taken, manifest.extremes = _taken(plan, done), _extremes(done)
        manifest.write(done.timings, {name: text for name, text in tables.items() if text is not None})
        if text := tables.get(SUMMARY):  # the last: until it is there, nothing is believed
            write_whole(directory / SUMMARY, text)
        forget_shards(directory)  # the manifest has them
    return done


def _matrices(plan: Plan, done: Execution) -> dict[str, range | tuple[int, ...]]:
    """Return the numbers of the runs on each dataset, of whichever series has most."""
    return {
        planned.label: max(
            (numbers for labels, numbers in done.asked.items() if labels.dataset == planned.label), key=len
        )
        for planned in plan.datasets
    }


def _taken(plan: Plan, done: Execution) -> dict[str, dict[str, int]]:
    """Return how many runs each series took, by dataset and algorithm, where that was not settled before."""
    taken: dict[str, dict[str, int]] = {}
    for labels, numbers in done.asked.items() if plan.spec.until else ():
        taken.setdefault(labels.dataset, {})[labels.algorithm] = len(numbers)
    return taken


def _extremes(done: Execution) -> dict[str, dict[str, dict[str, int | None]]]:
    """Return the best and the worst run of each series, by dataset and algorithm."""
    found: dict[str, dict[str, dict[str, int | None]]] = {}
    for labels, final in done.final.items():
        found.setdefault(labels.dataset, {})[labels.algorithm] = {"best": final.best, "worst": final.worst}
    return found


def compile_kernels(plan: Plan, waiting: Sequence[Scanned], announce: Callable[[str], None]) -> None:
    """Have the kernels of all that will be played compiled, those of users in processes of their own."""
    algorithms = [plan.find(each.series.labels).algorithm for each in waiting]
    kinds = {each.kind: each for each in algorithms if not each.literal}
    warm([each.build() for each in kinds.values() if not isinstance(each.kind, Described)], announce)
    compile_apart([each.kind for each in kinds.values() if isinstance(each.kind, Described)], announce)


class Keeps(Protocol):
    """What keeps the runs that are played: of a whole experiment, or of a share."""

    rounds: int
    total: int

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Write what came of some runs; return the series of which further ones are asked for."""


def play_all(
    schedule: Schedule,
    keeper: Keeps,
    backend: Backend,
    run_timeout: float | None,
    progress: Callable[[int, int], None],
) -> None:
    """Have all chunks played and kept."""
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
        progress(shown, keeper.total)
