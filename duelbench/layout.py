"""The layout of results on disk: file names, headers and columns.

<experiment>/<dataset>/<label>/run-00000.csv     "# duelbench run <key> <CRC-32 of the rest in hexadecimal>", then
                                                     RUN_COLUMNS
<experiment>/<dataset>/<label>/run-00000.failed  "# duelbench run <key>", then the traceback
<experiment>/<dataset>/<label>/series.json       what determined these runs
<experiment>/summary.csv                         SUMMARY_COLUMNS, and SUMMARY_RECOMMENDATIONS where arms are
                                                     recommended; there only when the experiment is complete
<experiment>/bounds.csv                          BOUNDS_COLUMNS; there only when a figure shows bounds
<experiment>/instances.csv                       INSTANCE_COLUMNS; there only where matrices are drawn or arms chosen
<experiment>/detections.csv                      DETECTION_COLUMNS; there only where an algorithm looks for changes,
                                                     and the experiment is complete
<experiment>/manifest.json                       the spec, the executions, the seconds of the runs of each series
<experiment>/table.csv                           TABLE_COLUMNS, of `duelbench bounds` in the place of an experiment
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

SUMMARY = "summary.csv"
MANIFEST = "manifest.json"
BOUNDS = "bounds.csv"
SERIES = "series.json"
INSTANCES = "instances.csv"
DETECTIONS = "detections.csv"
EXPERIMENT_FILES = (SUMMARY, MANIFEST, BOUNDS, INSTANCES, DETECTIONS)
"""Files beside the directories of datasets; a dataset cannot have these names."""

FIRST_WORDS = "# duelbench run "
"""The beginning of a run file and of the record of a failed run; the key of the run follows."""
FINISHED = ".csv"
FAILED = ".failed"
RUNS_AND_FAILURES = "run-*"
UNFINISHED = ".run-*"
"""Incomplete files of killed processes."""
ALL_SERIES = f"*/*/{SERIES}"
ALL_MANIFESTS = f"*/{MANIFEST}"

SUMMARY_NAMES = ("dataset", "algorithm", "regret")
SUMMARY_COUNTS = ("t", "runs")
SUMMARY_STATISTICS = ("mean", "std", "sem", "q05", "q25", "q50", "q75", "q95")
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SUMMARY_DECLARATIONS = ("declared", "duels_to_declaration", "right")
"""For algorithms that declare a winner; empty for others."""
SUMMARY_SHAPE = ("skewness", "kurtosis")
SUMMARY_COLUMNS = (*SUMMARY_NAMES, *SUMMARY_COUNTS, *SUMMARY_STATISTICS, *SUMMARY_DECLARATIONS, *SUMMARY_SHAPE)
SUMMARY_RECOMMENDATIONS = ("votes", "votes_sem", "duels_sem", "recommended_right", "right_low", "right_high", "simple")
"""Further columns where arms are recommended; ``duels_sem`` is for algorithms that declare a winner."""
RANKED = ("tau", "overlap", "epsilon", "exact")
"""Further columns of runs where the order of the arms is the goal: the fields of ``Judgement``."""
SUMMARY_RANKED = ("tau", "tau_sem", "overlap", "overlap_sem", "epsilon", "within")
"""Further columns of the summary: means, their standard errors, and the share of runs right within the margin."""
BOUNDS_COLUMNS = ("dataset", "regret", "bound", "matrices", "constant", "key")
INSTANCE_COLUMNS = ("dataset", "run", "arms", "parameters", "key")
"""``run`` is empty where all runs have the same instance; ``arms`` (of the whole matrix) and ``parameters`` are
JSON."""
DETECTED = ("detected", "missed", "false_alarms", "delay")
DETECTION_COLUMNS = ("dataset", "algorithm", "t", "runs", *DETECTED, "delay_sem")
"""Means over runs; ``delay`` is averaged over the detected changes of each run, then over runs."""
TABLE_COLUMNS = ("bound", "regret", "matrices", "mean", "sem")

LARGEST = 1e15
"""No regret is larger, since the longest horizon is 10^12; larger numbers cannot be plotted."""


def run_file(number: int) -> str:
    """Return the name of the file of a finished run."""
    return f"run-{number:05d}{FINISHED}"


def run_number(name: str, suffix: str = FINISHED) -> int | None:
    """Return the number of the run whose file has this name, or None for any other name.

    ``suffix`` selects the file of a result or of a failure.
    """
    digits = name.removeprefix("run-").removesuffix(suffix)
    return int(digits) if digits.isdecimal() and name == f"run-{int(digits):05d}{suffix}" else None


def failure_of(run: Path) -> Path:
    """Return the path of the record of a run's failure, from the path of its result."""
    return run.with_suffix(FAILED)


def run_columns(
    regret: Sequence[str], declares: bool, recommends: bool = False, detects: bool = False, finds_order: bool = False
) -> list[str]:
    """Return the columns of a run file: t and a cumulative regret per kind.

    Where arms are recommended, there are also ``votes`` (the duels of different arms so far), ``recommended`` (the arm
    in the numbering of the matrix) and its simple regret per kind (the regret of one self-duel). Where the order of the
    arms is the goal, this arm is the first of an order, whose measures ``RANKED`` follow. An algorithm that declares a
    winner or tiers adds ``declared_at`` (the number of duels until then, empty before) and, per kind, whether that is
    right. An algorithm that detects changes adds the changes ``detected`` and ``missed`` so far, ``false_alarms`` and
    the mean ``delay``, if any.
    """
    columns = ["t", *regret]
    if recommends:
        columns += ["votes", "recommended", *(f"simple_{kind}" for kind in regret), *(RANKED if finds_order else ())]
    if declares:
        columns += ["declared_at", *(f"right_{kind}" for kind in regret)]
    return [*columns, *DETECTED] if detects else columns


def header(columns: Iterable[str]) -> str:
    """Return the header line of a table, without the newline."""
    return ",".join(columns)
