"""Sentences on the assumptions of algorithms that the matrices of an experiment do not meet."""

from collections.abc import Iterable, Iterator, Mapping

from duelbench.results.manifest import Unmet
from duelbench.spec.resolved import Labels, ResolvedDataset, ResolvedSpec


def sentences(
    unmet: Unmet, datasets: Iterable[ResolvedDataset], titles: Mapping[str, str], algorithms: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each group of datasets that violate the same assumptions of the same algorithms.

    ``titles`` and ``algorithms`` are titles by label.
    """
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


def sentences_of(unmet: Unmet, spec: ResolvedSpec) -> list[str]:
    """Return the sentences on all datasets and algorithms of a spec, with their labels."""
    labels = [{each.label: each.label for each in entries} for entries in (spec.datasets, spec.algorithms)]
    return list(sentences(unmet, spec.datasets, *labels))
