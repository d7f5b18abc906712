"""The layout of results on disk: names of files, their first words and their columns.

<experiment>/<dataset>/<label>/run-00000.csv     "# duelbench run <key> <CRC-32 of what follows, hexadecimal>", then
                                                     RUN_COLUMNS
<experiment>/<dataset>/<label>/run-00000.failed  "# duelbench run <key>", then the traceback
<experiment>/<dataset>/<label>/series.json       what determined these runs
<experiment>/<dataset>/<label>/replay.failed     why the series is not in the summary, if a run came out differently
                                                     when it was played again
<experiment>/summary.csv                         SUMMARY_COLUMNS, and SUMMARY_RECOMMENDATIONS where arms are
                                                     recommended; there only when the experiment is complete
<experiment>/bounds.csv                          BOUNDS_COLUMNS; there only when a figure shows bounds
<experiment>/instances.csv                       INSTANCE_COLUMNS; there only where matrices are drawn or arms chosen
<experiment>/detections.csv                      DETECTION_COLUMNS; there only where an algorithm looks for changes,
                                                     and the experiment is complete
<experiment>/manifest.json                       the spec, the executions, the seconds of the runs of each series
<experiment>/table.csv                           TABLE_COLUMNS, of `duelbench bounds` in the place of an experiment
REPRODUCTION.md                                  beside the experiments: what papers state, and what was measured
LEADERBOARD.md                                   beside the experiments: all algorithms on all tables, with ranks
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

SUMMARY = "summary.csv"
MANIFEST = "manifest.json"
BOUNDS = "bounds.csv"
SERIES = "series.json"
TABLE = "table.csv"
REPORT = "REPRODUCTION.md"
LEADERBOARD = "LEADERBOARD.md"
INSTANCES = "instances.csv"
DETECTIONS = "detections.csv"
EXPERIMENT_FILES = (SUMMARY, MANIFEST, BOUNDS, INSTANCES, DETECTIONS)
"""What lies beside the directories of datasets, which cannot have these names."""

FIRST_WORDS = "# duelbench run "
"""How the file of a run begins, and the record of its failure; its key follows."""
FINISHED = ".csv"
FAILED = ".failed"
REPLAY = "replay.failed"
LONGEST_NUMBER = 9
"""Digits of the number of a run."""
ALL_SHARDS = ".shard-*.json"
"""What shards of an experiment have done, beside its manifest; see ``shard_file``."""
RUNS_AND_FAILURES = "run-*"
UNFINISHED = ".run-*"
"""What a process was writing when it was killed."""
ALL_SERIES = f"*/*/{SERIES}"
ALL_MANIFESTS = f"*/{MANIFEST}"

SUMMARY_NAMES = ("dataset", "algorithm", "regret")
SUMMARY_COUNTS = ("t", "runs")
SUMMARY_STATISTICS = ("mean", "std", "sem", "q05", "q25", "q50", "q75", "q95")
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SUMMARY_DECLARATIONS = ("declared", "duels_to_declaration", "right")
"""Of algorithms that declare a winner; empty for others."""
SUMMARY_SHAPE = ("skewness", "kurtosis")
"""Not in the summaries of earlier versions, which are still read."""
SUMMARY_COLUMNS = (*SUMMARY_NAMES, *SUMMARY_COUNTS, *SUMMARY_STATISTICS, *SUMMARY_DECLARATIONS, *SUMMARY_SHAPE)
SUMMARY_RECOMMENDATIONS = ("votes", "votes_sem", "duels_sem", "recommended_right", "right_low", "right_high", "simple")
"""More columns, where arms are recommended; ``duels_sem`` is of algorithms that declare a winner."""
BOUNDS_COLUMNS = ("dataset", "regret", "bound", "matrices", "constant", "key")
INSTANCE_COLUMNS = ("dataset", "run", "arms", "parameters", "key")
"""``run`` is empty where all runs have the same; ``arms``, of the whole matrix, and ``parameters`` are JSON."""
DETECTED = ("detected", "missed", "false_alarms", "delay")
DETECTION_COLUMNS = ("dataset", "algorithm", "t", "runs", *DETECTED, "delay_sem")
"""Means over runs; ``delay`` over the changes that were detected, run by run, and then over runs."""
TABLE_COLUMNS = ("bound", "regret", "matrices", "mean", "sem")

MOST_BYTES_OF_A_RUN = 1 << 26
"""No file of a run is larger: a spec has room for 10^5 horizons, and a row has no more than 19 numbers."""
MOST_BYTES_OF_A_RECORD = 1 << 26
"""Of ``SERIES``, which lists the rows, and of small tables."""
MOST_BYTES_OF_A_MANIFEST = 1 << 28
"""Those of earlier versions have the seconds of every run."""
MOST_BYTES_OF_A_SUMMARY = 1 << 29
"""Some 100 to 250 for each row of each series."""

LARGEST = 1e15
"""No regret is larger, as the longest horizon is 10^12; nor can larger numbers be drawn."""


def run_file(number: int) -> str:
    """Return the name of the file of a finished run."""
    return f"run-{number:05d}{FINISHED}"


def run_number(name: str, suffix: str = FINISHED) -> int | None:
    """Return the number of the run whose file has this name, that of its result or, by ``suffix``, its failure.

    None if it is no such name.
    """
    digits = name.removeprefix("run-").removesuffix(suffix)
    if not digits.isdecimal() or not digits.isascii() or len(digits) > LONGEST_NUMBER:
        return None
    return int(digits) if name == f"run-{int(digits):05d}{suffix}" else None


def shard_file(number: int, of: int) -> str:
    """Return the name of the record of a shard, the ``number``-th ``of`` so many."""
    return f".shard-{number}-of-{of}.json"


def failure_of(run: Path) -> Path:
    """Return where the failure of a run is recorded, from the path of its file."""
    return run.with_suffix(FAILED)


def run_columns(regret: Sequence[str], declares: bool, recommends: bool = False, detects: bool = False) -> list[str]:
    """Return the columns of a run's file: t and a cumulative regret per kind.

    Where arms are recommended also ``votes``, the duels of different arms so far, ``recommended``, the arm in the
    numbering of the matrix, and per kind its simple regret: that of one self-duel. Of an algorithm that declares a
    winner also ``declared_at``, the duels it took (empty before t), and per kind whether it was a best arm. Of one that
    looks for changes those ``detected`` so far and ``missed``, its ``false_alarms``, and the mean ``delay``, if any.
    """
    columns = ["t", *regret]
    if recommends:
        columns += ["votes", "recommended", *(f"simple_{kind}" for kind in regret)]
    if declares:
        columns += ["declared_at", *(f"right_{kind}" for kind in regret)]
    return [*columns, *DETECTED] if detects else columns


def header(columns: Iterable[str]) -> str:
    """Return the first line of a table, without its end."""
    return ",".join(columns)
