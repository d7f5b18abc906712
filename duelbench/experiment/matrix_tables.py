"""Tables about the matrices of runs: constants of lower bounds, chosen arms, and parameters of random matrices.

A bound is its constant · log t; its ``key`` is a digest of everything that determines the constant, and rows with the
same key are not computed again. The spec determines the matrices; their parameters are recorded for readers and for use
of the same instances in other programs.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from duelbench import bounds
from duelbench.arrays import Floats
from duelbench.bounds import BOUNDS, constants_of
from duelbench.errors import UserError, choose_among
from duelbench.experiment.plan import resolve_dataset
from duelbench.experiment.run import instance, instance_stream
from duelbench.preferences.assumptions import CONDITIONS, unmet
from duelbench.preferences.changing import Preferences
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.processes import available_cores
from duelbench.results.manifest import Unmet
from duelbench.results.results import Results
from duelbench.sources.datasets import Drawn
from duelbench.spec.model import Spec
from duelbench.spec.resolved import Labels, Numbers, ResolvedDataset, ResolvedSpec, seed_of
from duelbench.versions.record import source_digest, stream_digest, version_in_keys

_OF_TRIPLES = {"total order", "SST", "γ-SST", "relaxed SST", "STI"}
_MOST_ARMS = 100
"""With more arms, conditions on triples are not checked: with 1,000 this would take half a minute."""


def unmet_in(plan: ResolvedSpec) -> Unmet:
    """Return the assumptions that the matrix of each dataset's first run does not meet; skip changing preferences."""
    seed, repeat = plan.seed_of(plan.numbers[0])
    found: dict[Labels, tuple[str, ...]] = {}
    for dataset in plan.datasets:
        try:
            matrix = instance(dataset, seed, repeat, shuffle_arms=False)
        except UserError:  # no arms for a submatrix: the run fails, too
            continue
        if not isinstance(matrix, PreferenceMatrix):
            continue
        checked = CONDITIONS.keys() - (_OF_TRIPLES if matrix.arms > _MOST_ARMS else set())
        for algorithm in plan.algorithms:
            known = [each for each in algorithm.kind.assumes.split(", ") if each in checked]
            try:
                failing = unmet(matrix, ", ".join(known), algorithm.parameters) if known else []
            except (KeyError, TypeError):  # a user's class lacks the parameter of a condition, or it is no number
                continue
            if failing:
                found[Labels(dataset.label, algorithm.label)] = tuple(failing)
    return found


def bound_rows(
    results: Results, announce: Callable[[str], None], asked: Mapping[str, Numbers]
) -> list[tuple[str, ...]]:
    """Return the rows of ``bounds.csv``: the constants for the figures. Rows with the same key are not computed again.

    ``asked`` gives the numbers of the runs on each dataset, by label.
    """
    spec = results.spec
    names = list(dict.fromkeys(name for figure in spec.figures for name in getattr(figure, "bounds", ())))
    if not names:
        return []
    known = results.constants_by_key()
    rows: list[tuple[str, ...]] = []
    for dataset in spec.datasets:
        numbers = asked[dataset.label]
        count = len(numbers) if dataset.source.varies else 1
        keys = {name: _key(dataset, spec, name, numbers) for name in names}
        missing = [name for name in names if keys[name] not in known]
        if missing:
            if count > 1:
                announce(f"{dataset.label}: computing {', '.join(missing)} of {count:,} matrices")
            draw = partial(_matrix, dataset, spec.seeds, spec.seed, numbers)
            means = constants_of(draw, count, missing, available_cores()).mean(axis=0)
            known |= {keys[name]: repr(float(mean)) for name, mean in zip(missing, means, strict=True)}
        for name in names:
            rows.append((dataset.label, BOUNDS[name].regret, name, str(count), known[keys[name]], keys[name]))
    return rows


def _matrix(
    dataset: ResolvedDataset, seeds: Sequence[int] | None, seed: int | None, numbers: Numbers, index: int
) -> Floats:
    # The order of the arms changes no bound.
    return instance(dataset, *seed_of(seeds, seed, numbers[index]), shuffle_arms=False).at(1).P


def _key(dataset: ResolvedDataset, spec: ResolvedSpec, name: str, numbers: Numbers) -> str:
    which = len(numbers) if isinstance(numbers, range) else list(numbers)
    drawn = [spec.seed, which] if spec.seeds is None else [*spec.seeds]
    if spec.seeds is not None and spec.only_runs is not None:
        drawn = [spec.seeds[number] for number in numbers]
    instances = drawn if dataset.source.varies else None
    code = [source_digest([bounds.__name__]), stream_digest(), *map(version_in_keys, dataset.source.drawn_by)]
    text = json.dumps([name, dataset.identity, instances, code], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


MOST_INSTANCES = 10_000
"""Instances are recorded for at most this many runs of a dataset, from the first."""
_MOST_NUMBERS = 1_000
"""The largest size of a recorded parameter. A whole matrix is not recorded, since it is not a parameter."""


def instance_rows(results: Results, asked: Mapping[str, Numbers]) -> list[tuple[str, ...]]:
    """Return the rows of ``instances.csv``; none if the instances are not random.

    ``asked`` gives the numbers of the runs on each dataset, by label.
    """
    known = {row["key"]: (row["arms"], row["parameters"]) for row in results.instances() if row["key"]}
    spec = results.spec
    return [row for dataset in spec.datasets for row in _rows(spec, dataset, asked[dataset.label], known)]


def drawn_in(directory: Path, spec: Spec, label: str, number: int) -> tuple[ResolvedDataset, Drawn[Preferences]]:
    """Return a dataset of a spec, by its label, and its instance in a run, before the run shuffles the arms.

    Raises UserError when the spec has no such dataset or run, or when the results in ``directory`` have recorded
    another instance.
    """
    entry = next((each for each in spec.expanded_datasets() if each.label == label), None)
    if entry is None:
        labels = (each.label for each in spec.expanded_datasets())
        raise UserError(f"the spec has no dataset {label!r}{choose_among(label, labels)}")
    if number not in (spec.only_runs or range(spec.run_count)):
        raise UserError(f"the spec asks for no run {number}")
    dataset = resolve_dataset(entry, spec.source.path.parent, spec.horizons[-1])
    found = dataset.source
    drawn = found.drawn(instance_stream(dataset, *spec.seed_of(number)))
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
    return {name: value.tolist() for name, value in arrays.items() if value.ndim < 2 and value.size <= _MOST_NUMBERS}


def _rows(
    spec: ResolvedSpec, dataset: ResolvedDataset, numbers: Numbers, known: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, ...]]:
    origin = dataset.source
    identity = json.dumps([dataset.identity, [version_in_keys(each) for each in origin.drawn_by]], sort_keys=True)
    if not origin.varies:
        drawn = origin.drawn(np.random.default_rng(0))  # nothing is drawn
        if drawn.arms is not None or parameters(drawn):
            yield (dataset.label, "", *_cells(drawn), "")
        return
    for number in islice(numbers, MOST_INSTANCES):
        key = hashlib.sha256(f"{identity} {spec.seed_of(number)}".encode()).hexdigest()[:16]
        if key not in known:
            try:
                cells = _cells(origin.drawn(instance_stream(dataset, *spec.seed_of(number))))
            except UserError:  # the run failed too: these arms cannot be chosen
                continue
        else:
            cells = known[key]
        yield (dataset.label, str(number), *cells, key)


def _cells(drawn: Drawn[Preferences]) -> tuple[str, str]:
    arms = "" if drawn.arms is None else json.dumps(list(drawn.arms))
    made_of = parameters(drawn)
    return arms, json.dumps(made_of) if made_of else ""
