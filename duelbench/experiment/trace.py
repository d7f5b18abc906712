"""Traces: an exact replay of one run that records every block of duels that the algorithm chose.

The loop that played the run (``engine.rollout``) plays it again, one block at a time. It must give the same bytes as
the run's file, so the trace records what happened in that run, holds included.
"""

from collections.abc import Callable
from pathlib import Path
from typing import IO, NoReturn

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats
from duelbench.engine.play import Ledger, Problem
from duelbench.engine.problem import problem_of, regret_of
from duelbench.engine.rollout import outcomes_within
from duelbench.engine.warm import warm
from duelbench.errors import UserError, choose_among
from duelbench.experiment.run import numbered, play_run, recommendation_seed
from duelbench.preferences.regret import by_kind
from duelbench.results.results import Results
from duelbench.results.runs import SeriesRuns, changes, run_text
from duelbench.spec.model import Spec
from duelbench.spec.resolved import Labels, Numbers, Series


def trace_columns(series: Series) -> list[str]:
    """Return the columns of a trace.

    A row is a block: ``count`` duels of ``first`` against ``second`` from round t on.

    ``first`` and ``second`` are numbered as in the dataset's matrix, ``first_in_run`` and ``second_in_run`` as the
    algorithm saw them; these differ if the run shuffles the arms. ``wins`` are the wins of ``first``, empty for a
    self-duel. Each regret is cumulative, to the end of the block. ``horizon`` is there if each row of the run file is a
    separate run, and ``ties``, the number of ties among the duels, if these are not decided by a coin.
    """
    ties = ["ties"] if _receives_ties(series) else []
    columns = ["t", "first", "second", "wins", *ties, "count", *series.spec.regret, "first_in_run", "second_in_run"]
    return ["horizon", *columns] if series.algorithm.horizons else columns


def _receives_ties(series: Series) -> bool:
    return series.dataset.source.has_ties and series.ties != "coin"


def find_series(spec: Spec, place: str, results: Results) -> Labels:
    """Return the labels of the series of a spec named ``DATASET/LABEL``. Raises UserError if the spec has none.

    The algorithm may also be named by its title in the results. ``DATASET/`` is optional with a single dataset.
    """
    datasets = [each.label for each in spec.expanded_datasets()]
    algorithms = [each.label for each in spec.expanded_algorithms()]
    known = {f"{dataset}/{label}": Labels(dataset, label) for dataset in datasets for label in algorithms}
    titles = {each.called(): each.label for each in results.spec.algorithms if each.label in algorithms}
    named = {f"{dataset}/{title}": Labels(dataset, label) for dataset in datasets for title, label in titles.items()}
    wanted = place.strip("/")
    if len(datasets) == 1 and wanted not in known | named:
        wanted = f"{datasets[0]}/{wanted}"
    found = (named | known).get(wanted)
    if found is None:
        raise UserError(f"the spec has no series {place!r}{choose_among(place, known)}")
    return found


def extreme_run(runs: SeriesRuns, *, worst: bool) -> int:
    """Return the number of the finished run with the largest, or smallest, final regret of the first kind.

    Raises UserError when no run is finished.
    """
    ends = {number: float(body.splitlines()[-1].split(",")[1]) for number, body in runs.done(runs.asked)}
    if not ends:
        _refuse(runs, min(runs.numbers, default=runs.asked[0]))
    return (max if worst else min)(ends, key=lambda number: ends[number])


def write_trace(
    runs: SeriesRuns,
    number: int,
    into: Path,
    *,
    announce: Callable[[str], None],
    progress: Callable[[int], None],
) -> None:
    """Replay a run and write its blocks to the file ``into``, row by row.

    ``announce`` receives lines for the user; ``progress`` receives the rounds since its last call. If this function
    raises, ``into`` is incomplete and must not be used.

    Raises UserError when there is no such run, its file belongs to other code or another spec, or the replay differs
    from the file.
    """
    series = runs.series
    if number not in runs.asked:
        raise UserError(f"there is no run {number}: the runs of this spec are {_said(runs.asked)}")
    state, body = runs.examine(number)
    if state != "done":
        _refuse(runs, number)
    warm([(series.build(), series.dataset.arms)], announce)
    seed, repeat = series.spec.seed_of(number)
    matrix, order = numbered(series.dataset, seed, repeat, series.spec.shuffle_arms)
    problem = problem_of(matrix, series.spec.regret)
    with into.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(trace_columns(series)) + "\n")
        recorder = _Recorder(file, problem, order, series, recommendation_seed(series, seed, repeat))
        rows = play_run(series, seed, repeat, progress, recorder)
    if run_text(series.key(number), series.columns, rows).partition("\n")[2] != body:
        raise UserError(
            "the replay gives another result: if the run was played on another platform, or with other libraries, "
            "remove it and repeat `duelbench run` to play it here",
            source=str(runs.path(number)),
        )


class _Recorder:
    """Writes a row for each block: the growth of the ledger since the block before."""

    def __init__(self, file: IO[str], problem: Problem, order: NDArray[np.integer], series: Series, seed: int) -> None:
        self._seed = seed
        self._file, self._problem, self._order, self._kinds = file, problem, order.tolist(), series.spec.regret
        self._horizons = series.algorithm.horizons is not None
        self._ledger: Ledger | None = None
        self._duels = self._wins = self._ties = self._begun = np.zeros((0, 0), np.int64)
        self._past, self._piece = np.zeros(0), 0

    def __call__(self, ledger: Ledger) -> None:
        if ledger is not self._ledger:
            self._ledger = ledger
            self._duels, self._wins = np.zeros_like(ledger.duels), np.zeros_like(ledger.wins)
            self._ties = np.zeros_like(ledger.ties)
            self._begun, self._past, self._piece = np.zeros_like(ledger.duels), np.zeros(len(ledger.past)), 0
        unfinished = ledger.block[0].left > 0
        if unfinished and ledger.place[0].checkpoint < len(ledger.checkpoints):
            return  # within a block, at a checkpoint with a recommendation
        grown = ledger.duels - self._duels
        t = int(ledger.place[0].t - grown.sum())  # does not begin at 1 after earlier votes
        if self._problem.segment(t) > self._piece:
            self._past, self._begun, self._piece = self._regret(), self._duels.copy(), self._problem.segment(t)
        for first, second in np.argwhere(grown).tolist():  # several if they share a hold
            wins = int(ledger.wins[first, second] - self._wins[first, second])
            ties = int(ledger.ties[first, second] - self._ties[first, second]) if ledger.ties.size else 0
            if unfinished and first != second:  # the run ends within the block
                wins, ties = outcomes_within(ledger, self._seed)
            self._duels[first, second] += grown[first, second]
            row = [
                *([int(ledger.checkpoints[-1])] if self._horizons else []),
                t,
                self._order[first],
                self._order[second],
                wins if first != second else "",
                *([ties] if ledger.ties.size else []),
                int(grown[first, second]),
                *by_kind(self._regret(), self._kinds, len(self._order)).tolist(),
                first,
                second,
            ]
            self._file.write(",".join(map(str, row)) + "\n")
            t += int(grown[first, second])
        self._wins[:], self._ties[:] = ledger.wins, ledger.ties

    def _regret(self) -> Floats:
        starts = int(self._problem.starts[self._piece])
        return self._past + regret_of(self._problem, starts, self._duels - self._begun)


def _refuse(runs: SeriesRuns, number: int) -> NoReturn:
    """Raise UserError for a run that is not finished."""
    state, _ = runs.examine(number)
    path = str(runs.path(number))
    if state == "out of date":
        why = "; ".join(changes(runs.record, runs.series.record)) or "another seed"
        raise UserError(
            f"was played under other conditions ({why}): restore them, or repeat `duelbench run` to play it again",
            source=path,
        )
    raise UserError(f"is {state}: repeat `duelbench run` to play it", source=path)


def _said(numbers: Numbers) -> str:
    return f"0 … {numbers[-1]}" if isinstance(numbers, range) else ", ".join(map(str, numbers))
