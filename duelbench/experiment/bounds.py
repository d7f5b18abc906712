"""Constants of the lower bounds in a spec's figures: means over the matrices of the runs.

A bound is its constant · log t; its ``key`` is a digest of everything that determines the constant.
"""

from __future__ import annotations

import hashlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from functools import partial

from duelbench import bounds
from duelbench.arrays import Floats
from duelbench.bounds import BOUNDS
from duelbench.bounds.constants import constants_of
from duelbench.experiment.plan import Plan
from duelbench.experiment.run import instance
from duelbench.processes import available_cores
from duelbench.results.identity import seed_of
from duelbench.results.reader import Results
from duelbench.spec.resolved import ResolvedDataset
from duelbench.versions.record import source_digest, stream_digest, version_in_keys


def bound_rows(
    plan: Plan,
    results: Results,
    announce: Callable[[str], None],
    asked: Mapping[str, range | tuple[int, ...]],
) -> list[tuple[str, ...]]:
    """Return the rows of ``bounds.csv``: the constants for the figures. Rows with the same key are not computed again.

    ``asked`` gives the numbers of the runs on each dataset, by label.
    """
    names = list(dict.fromkeys(name for figure in plan.spec.figures for name in getattr(figure, "bounds", ())))
    if not names:
        return []
    known = results.constants_by_key()
    rows: list[tuple[str, ...]] = []
    for dataset in plan.datasets:
        numbers = asked[dataset.label]
        count = len(numbers) if dataset.source.varies else 1
        keys = {name: _key(dataset, plan, name, numbers) for name in names}
        missing = [name for name in names if keys[name] not in known]
        if missing:
            if count > 1:
                announce(f"{dataset.label}: computing {', '.join(missing)} of {count:,} matrices")
            draw = partial(_matrix, dataset, plan.spec.seeds, plan.spec.seed, numbers)
            means = constants_of(draw, count, missing, available_cores()).mean(axis=0)
            known |= {keys[name]: repr(float(mean)) for name, mean in zip(missing, means, strict=True)}
        for name in names:
            rows.append((dataset.label, BOUNDS[name].regret, name, str(count), known[keys[name]], keys[name]))
    return rows


def _matrix(
    dataset: ResolvedDataset,
    seeds: tuple[int, ...] | None,
    seed: int,
    numbers: range | tuple[int, ...],
    index: int,
) -> Floats:
    # The order of the arms changes no bound.
    return instance(dataset, *seed_of(seeds, seed, numbers[index]), shuffle_arms=False).at(1).P


def _key(dataset: ResolvedDataset, plan: Plan, name: str, numbers: range | tuple[int, ...]) -> str:
    which = len(numbers) if isinstance(numbers, range) else list(numbers)
    drawn = [plan.spec.seed, which] if plan.spec.seeds is None else [*plan.spec.seeds]
    if plan.spec.seeds is not None and plan.spec.only_runs is not None:
        drawn = [plan.spec.seeds[number] for number in numbers]
    instances = drawn if dataset.source.varies else None
    code = [_code(), stream_digest(), *map(version_in_keys, dataset.source.drawn_by)]
    text = json.dumps([name, dataset.identity, instances, code], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _code() -> str:
    """Return the digest of the code that computes the constants."""
    return source_digest(each.name for each in pkgutil.iter_modules(bounds.__path__, f"{bounds.__name__}."))
