"""``instances.csv``: which arms were chosen, and what random matrices were made of, for all runs or for each.

The matrices themselves follow from the spec; this is for readers, and for those who go on with the same instances
elsewhere. What is there under the same key is not drawn again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.errors import UserError, did_you_mean
from duelbench.experiment.plan import Plan, planned_dataset
from duelbench.experiment.run import instance_stream
from duelbench.experiment.series import PlannedDataset
from duelbench.layout import INSTANCE_COLUMNS, INSTANCES, MOST_BYTES_OF_A_SUMMARY
from duelbench.reading import regular
from duelbench.results.identity import seed_of
from duelbench.sources.datasets import Drawn
from duelbench.sources.sequences import DrawnSequence
from duelbench.spec.model import Spec
from duelbench.versions.record import version_in_keys
from duelbench.writing import write_whole

MOST_INSTANCES = 10_000
"""Runs of a dataset whose instances are recorded: the first of them."""
MOST_NUMBERS = 1_000
"""Of a parameter that is recorded; nor is a whole matrix, as it is no parameter of anything."""


def write_instances(plan: Plan, directory: Path, asked: Mapping[str, range | tuple[int, ...]]) -> str | None:
    """Write the instances of a plan, and return the text; None where there is nothing random about them.

    ``asked`` are the numbers of the runs on each dataset, by its label.
    """
    path = directory / INSTANCES
    known = _known(path)
    rows = [row for planned in plan.datasets for row in _rows(plan, planned, asked[planned.label], known)]
    if not rows:
        path.unlink(missing_ok=True)
        return None
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([INSTANCE_COLUMNS, *rows])
    write_whole(path, text.getvalue())
    return text.getvalue()


def drawn_in(directory: Path, spec: Spec, label: str, number: int) -> tuple[PlannedDataset, Drawn | DrawnSequence]:
    """Return a dataset of a spec, by its label, and what it is in a run of the results in a directory.

    That is before the arms are numbered anew for the run. Raises UserError when the spec has no such dataset or run, or
    when the results have recorded another instance.
    """
    entry = next((each for each in spec.expanded_datasets() if each.label == label), None)
    if entry is None:
        labels = [each.label for each in spec.expanded_datasets()]
        near = did_you_mean(label, labels) or f": there is {', '.join(labels[:10])}"
        raise UserError(f"the spec has no dataset {label!r}{near}")
    if number not in (spec.only_runs or range(spec.run_count)):
        raise UserError(f"the spec asks for no run {number}")
    planned = planned_dataset(entry, spec)
    found = planned.dataset
    drawn = found.drawn(instance_stream(planned, *seed_of(spec.seeds, spec.seed, number)))
    recorded = _recorded(directory / INSTANCES, label, str(number) if found.varies else "")
    if recorded is not None and recorded != _cells(drawn):
        raise UserError(
            f"run {number} of {label} was played on another instance than the spec says now: `duelbench run` it again",
            source=str(directory / INSTANCES),
        )
    return planned, drawn


def parameters(drawn: Drawn | DrawnSequence) -> dict[str, Any]:
    """Return, ready for JSON, what a random matrix was made of."""
    arrays = {name: np.asarray(value) for name, value in drawn.luck.items()}
    return {name: value.tolist() for name, value in arrays.items() if value.ndim < 2 and value.size <= MOST_NUMBERS}


def _rows(
    plan: Plan, planned: PlannedDataset, numbers: range | tuple[int, ...], known: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, ...]]:
    origin = planned.dataset
    identity = json.dumps([origin.identity(), [version_in_keys(each) for each in origin.drawn_by]], sort_keys=True)
    if not origin.varies:
        drawn = origin.drawn(np.random.default_rng(0))  # nothing is drawn
        if drawn.arms is not None or parameters(drawn):
            yield (planned.label, "", *_cells(drawn), "")
        return
    for number in islice(numbers, MOST_INSTANCES):
        key = hashlib.sha256(f"{identity} {plan.seed(number)}".encode()).hexdigest()[:16]
        if key not in known:
            try:
                cells = _cells(origin.drawn(instance_stream(planned, *plan.seed(number))))
            except UserError:  # there is no such choice of arms, as the record of the run's failure says
                continue
        else:
            cells = known[key]
        yield (planned.label, str(number), *cells, key)


def _cells(drawn: Drawn | DrawnSequence) -> tuple[str, str]:
    arms = "" if drawn.arms is None else json.dumps(list(drawn.arms))
    made_of = parameters(drawn)
    return arms, json.dumps(made_of) if made_of else ""


def _recorded(path: Path, label: str, number: str) -> tuple[str, str] | None:
    """Return the cells of a run; None where there are none."""
    try:
        with regular(path, MOST_BYTES_OF_A_SUMMARY).open(encoding="utf-8", newline="") as file:
            rows = (row for row in csv.DictReader(file) if (row["dataset"], row["run"]) == (label, number))
            return next(((row["arms"], row["parameters"]) for row in rows), None)
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        return None


def _known(path: Path) -> dict[str, tuple[str, str]]:
    """Return the cells of an earlier execution, by key."""
    try:
        with regular(path, MOST_BYTES_OF_A_SUMMARY).open(encoding="utf-8", newline="") as file:
            return {row["key"]: (row["arms"], row["parameters"]) for row in csv.DictReader(file) if row["key"]}
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        return {}
