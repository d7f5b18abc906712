"""The assumptions of algorithms that the matrices of an experiment do not meet."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.experiment.code import labelled_algorithm
from duelbench.experiment.plan import resolve_dataset
from duelbench.experiment.run import instance
from duelbench.preferences.assumptions import CONDITIONS, unmet
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.results.results import Results
from duelbench.spec.resolved import Labels, ResolvedAlgorithm, ResolvedDataset, ResolvedSpec

Unmet = Mapping[Labels, tuple[str, ...]]
"""The conditions that a dataset does not meet, by the labels of dataset and algorithm; without those that meet all."""
_OF_TRIPLES = {"total order", "SST", "γ-SST", "relaxed SST", "STI"}
_MOST_ARMS = 100
"""With more arms, conditions on triples are not checked: with 1,000 this would take half a minute."""


@lru_cache(maxsize=1)  # for all figures of the results
def unmet_in_results(results: Results) -> Unmet:
    """Return the assumptions that are not met in the first run of each dataset, unless its preferences change.

    Only datasets that can be made again, and algorithms of the catalogue, are checked.
    """
    played = results.spec
    known = {each.label: each for each in played.datasets}
    datasets = []
    try:
        spec = results.recorded_spec()
    except UserError:
        return {}
    for point in spec.expanded_datasets():
        try:
            dataset = resolve_dataset(point, spec.source.path.parent, spec.horizons[-1])
        except UserError:
            continue
        if point.label in known and dataset.identity == known[point.label].identity:
            datasets.append(dataset)
    ours = [
        labelled_algorithm(catalogue()[each.name], label=each.label, name=each.name, parameters=each.parameters)
        for each in played.algorithms
        if each.name in catalogue()
    ]
    return _unmet(datasets, ours, *played.seed_of(played.numbers[0]))


def _unmet(
    datasets: Iterable[ResolvedDataset], algorithms: Iterable[ResolvedAlgorithm], seed: int, repeat: int
) -> dict[Labels, tuple[str, ...]]:
    found = {}
    for dataset in datasets:
        try:
            matrix = instance(dataset, seed, repeat, shuffle_arms=False)
        except UserError:  # no arms for a submatrix: the run fails as well
            continue
        if not isinstance(matrix, PreferenceMatrix):
            continue
        checked = CONDITIONS.keys() - (_OF_TRIPLES if matrix.arms > _MOST_ARMS else set())
        for algorithm in algorithms:
            known = [each for each in algorithm.kind.assumes.split(", ") if each in checked]
            try:
                failing = unmet(matrix, ", ".join(known), algorithm.parameters) if known else []
            except (KeyError, TypeError):  # a user's class lacks the parameter of a condition, or it is no number
                continue
            if failing:
                found[Labels(dataset.label, algorithm.label)] = tuple(failing)
    return found


def sentences(
    unmet: Unmet, datasets: Iterable[ResolvedDataset], titles: Mapping[str, str], algorithms: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for all datasets that fail the same algorithms in the same way; titles are by label."""
    alike: dict[str, list[str]] = {}
    for dataset in datasets:
        reasons: dict[tuple[str, ...], list[str]] = {}
        for label, name in algorithms.items():
            if failing := unmet.get(Labels(dataset.label, label)):
                reasons.setdefault(failing, []).append(name)
        if reasons:
            fixed = {*dataset.identity} == {"matrix"}
            failures = "; ".join(f"{', '.join(names)} ({', '.join(failing)})" for failing, names in reasons.items())
            alike.setdefault(failures, []).append(f"{'' if fixed else 'the first matrix of '}{titles[dataset.label]}")
    for failures, places in alike.items():
        whole = " and ".join(filter(None, ["; ".join(places[:-1]), places[-1]]))
        yield f"{whole} {'do' if len(places) > 1 else 'does'} not meet the assumptions of {failures}"


def unmet_in_plan(plan: ResolvedSpec) -> list[str]:
    """Return the sentences on the datasets and algorithms of a plan, with their labels."""
    labels = [{each.label: each.label for each in entries} for entries in (plan.datasets, plan.algorithms)]
    unmet = _unmet(plan.datasets, plan.algorithms, *plan.seed_of(plan.numbers[0]))
    return list(sentences(unmet, plan.datasets, *labels))
