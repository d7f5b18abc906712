"""The chosen arms and the parameters of random matrices, for all runs or for each run.

The spec determines the matrices. This record is for readers, and for using the same instances in other programs. Rows
with the same key are not drawn again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.errors import UserError, did_you_mean
from duelbench.experiment.plan import Plan, resolve_dataset
from duelbench.experiment.run import instance_stream
from duelbench.preferences.changing import Preferences
from duelbench.results.identity import seed_of
from duelbench.results.reader import Results
from duelbench.sources.datasets import Drawn
from duelbench.spec.model import Spec
from duelbench.spec.resolved import ResolvedDataset
from duelbench.versions.record import version_in_keys

MOST_INSTANCES = 10_000
"""The number of runs of a dataset whose instances are recorded, from the first."""
MOST_NUMBERS = 1_000
"""The largest size of a recorded parameter. A whole matrix is not recorded, since it is not a parameter."""


def instance_rows(plan: Plan, results: Results, asked: Mapping[str, range | tuple[int, ...]]) -> list[tuple[str, ...]]:
    """Return the rows of ``instances.csv``; none if the instances of the plan are not random.

    ``asked`` gives the numbers of the runs on each dataset, by label.
    """
    known = {row["key"]: (row["arms"], row["parameters"]) for row in results.instances() if row["key"]}
    return [row for dataset in plan.datasets for row in _rows(plan, dataset, asked[dataset.label], known)]


def drawn_in(directory: Path, spec: Spec, label: str, number: int) -> tuple[ResolvedDataset, Drawn[Preferences]]:
    """Return a dataset of a spec, by its label, and its instance in a run, before the run shuffles the arms.

    Raises UserError when the spec has no such dataset or run, or when the results in ``directory`` have recorded
    another instance.
    """
    entry = next((each for each in spec.expanded_datasets() if each.label == label), None)
    if entry is None:
        labels = [each.label for each in spec.expanded_datasets()]
        near = did_you_mean(label, labels) or f": choose among {', '.join(labels[:10])}"
        raise UserError(f"the spec has no dataset {label!r}{near}")
    if number not in (spec.only_runs or range(spec.run_count)):
        raise UserError(f"the spec asks for no run {number}")
    dataset = resolve_dataset(entry, spec)
    found = dataset.source
    drawn = found.drawn(instance_stream(dataset, *seed_of(spec.seeds, spec.seed, number)))
    run = str(number) if found.varies else ""
    recorded = [row for row in Results(directory).instances() if (row["dataset"], row["run"]) == (label, run)]
    if recorded and (recorded[0]["arms"], recorded[0]["parameters"]) != _cells(drawn):
        raise UserError(
            f"run {number} of {label} was played on another instance than the spec has now: repeat `duelbench run`",
            source=str(directory),
        )
    return dataset, drawn


def parameters(drawn: Drawn[Preferences]) -> dict[str, Any]:
    """Return the parameters of a random matrix, ready for JSON."""
    arrays = {name: np.asarray(value) for name, value in drawn.parameters.items()}
    return {name: value.tolist() for name, value in arrays.items() if value.ndim < 2 and value.size <= MOST_NUMBERS}


def _rows(
    plan: Plan, dataset: ResolvedDataset, numbers: range | tuple[int, ...], known: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, ...]]:
    origin = dataset.source
    identity = json.dumps([dataset.identity, [version_in_keys(each) for each in origin.drawn_by]], sort_keys=True)
    if not origin.varies:
        drawn = origin.drawn(np.random.default_rng(0))  # nothing is drawn
        if drawn.arms is not None or parameters(drawn):
            yield (dataset.label, "", *_cells(drawn), "")
        return
    for number in islice(numbers, MOST_INSTANCES):
        key = hashlib.sha256(f"{identity} {plan.seed(number)}".encode()).hexdigest()[:16]
        if key not in known:
            try:
                cells = _cells(origin.drawn(instance_stream(dataset, *plan.seed(number))))
            except UserError:  # the run failed too: these arms cannot be chosen
                continue
        else:
            cells = known[key]
        yield (dataset.label, str(number), *cells, key)


def _cells(drawn: Drawn[Preferences]) -> tuple[str, str]:
    arms = "" if drawn.arms is None else json.dumps(list(drawn.arms))
    made_of = parameters(drawn)
    return arms, json.dumps(made_of) if made_of else ""
