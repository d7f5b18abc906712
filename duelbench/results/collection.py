"""The experiments in folders of results: finding them, and combining several for common figures."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from duelbench.errors import UserError
from duelbench.layout import MANIFEST, SUMMARY
from duelbench.results.results import Results
from duelbench.spec.figures import FigureEntry
from duelbench.spec.resolved import Labels, ResolvedAlgorithm, ResolvedDataset


def is_experiment(directory: Path) -> bool:
    """Return whether a directory has the results of an experiment, perhaps unfinished or damaged."""
    return any(os.path.lexists(directory / name) for name in (MANIFEST, SUMMARY))


def experiments(folder: Path) -> list[Path]:
    """Return the directories of the experiments below a folder; each appears once, even if links lead to it.

    Raises UserError if there is none.
    """
    found = [*_below(folder, set())]
    if not found:
        raise UserError(f"there are no results in {folder}: `duelbench run` a spec first")
    return found


def each_experiment(places: Iterable[Path]) -> list[Path]:
    """Return the places that are experiments, and the experiments below the others."""
    return [each for place in places for each in ([place] if is_experiment(place) else experiments(place))]


def _below(folder: Path, seen: set[str]) -> Iterator[Path]:
    """Yield the experiments below a folder; hidden directories and those in ``seen`` are left out."""
    seen.add(os.path.realpath(folder))
    try:
        inner = sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: (each.is_symlink(), each))
    except OSError:
        yield folder  # reading it as results says what is wrong
        return
    for each in inner:
        if each.name.startswith(".") or os.path.realpath(each) in seen:
            continue
        if is_experiment(each):
            seen.add(os.path.realpath(each))
            yield each
        else:
            yield from _below(each, seen)


_Names = dict[str, str]
"""New labels by old ones."""


def combined(several: Sequence[Results]) -> Results:
    """Return results with the datasets, algorithms and figures of all, in their order.

    Datasets with the same matrices and delay are merged. Algorithms with the same label are merged if their parameters
    and code are the same and they do not have different numbers on the same dataset; otherwise each label gets the name
    of its directory.

    Raises UserError if some results count rounds and some votes.
    """
    if len({each.spec.count for each in several}) > 1:
        raise UserError("some of these results count rounds and some votes: plot them separately")
    of = _directories(several)
    datasets, dataset_names = _merged_datasets(several, of)
    algorithms, algorithm_names = _merged_algorithms(several, of, dataset_names)
    frames = [
        each.summary.assign(
            dataset=each.summary["dataset"].map(lambda label, names=names: names.get(label, label)),
            algorithm=each.summary["algorithm"].map(lambda label, called=called: called.get(label, label)),
        )
        for each, names, called in zip(several, dataset_names, algorithm_names, strict=True)
    ]
    summary = pd.concat(frames, ignore_index=True).drop_duplicates(["dataset", "algorithm", "regret", "t"])
    figures = tuple(
        _renamed(figure, names, called)
        for each, names, called in zip(several, dataset_names, algorithm_names, strict=True)
        for figure in each.spec.figures
    )
    specs = [each.spec for each in several]
    spec = specs[0].model_copy(
        update={
            "datasets": tuple(datasets),
            "algorithms": tuple(algorithms),
            "figures": figures,
            "horizons": tuple(sorted({horizon for each in specs for horizon in each.horizons})),
            "recommend": next((each.recommend for each in specs if each.recommend != "none"), "none"),
        }
    )
    bounds = {
        (names.get(dataset, dataset), bound): constant
        for each, names in zip(several, dataset_names, strict=True)
        for (dataset, bound), constant in each.bounds.items()
    }
    made = Results(several[0].directory)
    made.spec, made.summary, made.bounds = spec, summary, bounds
    for each, names, called in reversed([*zip(several, dataset_names, algorithm_names, strict=True)]):
        made.origins |= {
            (names.get(labels.dataset, labels.dataset), called.get(labels.algorithm, labels.algorithm)): (each, labels)
            for labels in each.runs
            if each.series_runs(labels)
        }
    made.unmet = {
        Labels(*merged): each.unmet[labels] for merged, (each, labels) in made.origins.items() if labels in each.unmet
    }
    return made


def _directories(several: Sequence[Results]) -> list[str]:
    """Return the names of the directories, or their paths if two have the same name."""
    names = [each.directory.resolve().name for each in several]
    return [name if names.count(name) == 1 else str(each.directory) for name, each in zip(names, several, strict=True)]


def _merged_datasets(several: Sequence[Results], of: Sequence[str]) -> tuple[list[ResolvedDataset], list[_Names]]:
    merged: dict[str, ResolvedDataset] = {}
    names: list[_Names] = []
    for results, directory in zip(several, of, strict=True):
        names.append({})
        for dataset in results.spec.datasets:
            key = json.dumps([dataset.identity or dataset.label, dataset.delay], sort_keys=True)
            if key not in merged:
                taken = any(each.label == dataset.label for each in merged.values())
                label = f"{dataset.label} ({directory})" if taken else dataset.label
                merged[key] = dataset.model_copy(update={"label": label})
            names[-1][dataset.label] = merged[key].label
    return [*merged.values()], names


def _merged_algorithms(
    several: Sequence[Results], of: Sequence[str], dataset_names: Sequence[_Names]
) -> tuple[list[ResolvedAlgorithm], list[_Names]]:
    variants = _variants(several, dataset_names)
    merged: dict[tuple[str, str], ResolvedAlgorithm] = {}
    names: list[_Names] = []
    for results, directory, mine in zip(several, of, variants, strict=True):
        names.append({})
        for algorithm in results.spec.algorithms:
            label = algorithm.label
            key = label, mine[label]
            if key not in merged:
                clash = len({each[label] for each in variants if label in each}) > 1
                merged[key] = algorithm
                if clash:
                    title = algorithm.grid_title or algorithm.title or algorithm.grid or algorithm.called()
                    changes = {"label": f"{label} ({directory})", "grid_title": f"{title} ({directory})"}
                    if algorithm.grid:
                        changes["grid"] = f"{algorithm.grid} ({directory})"
                    merged[key] = algorithm.model_copy(update=changes)
            names[-1][label] = merged[key].label
    return [*merged.values()], names


def _variants(several: Sequence[Results], dataset_names: Sequence[_Names]) -> list[dict[str, str]]:
    """Return, for each of the results, a signature by label; algorithms with equal signatures can be merged."""
    found: list[dict[str, str]] = []
    known: dict[tuple[str, str, str], tuple[int, pd.DataFrame]] = {}
    for index, (results, names) in enumerate(zip(several, dataset_names, strict=True)):
        found.append({})
        for algorithm in results.spec.algorithms:
            said = algorithm.model_dump(mode="json", exclude={"title", "grid_title", "grid", "point", "citation"})
            variant = json.dumps(said, sort_keys=True)
            numbers = {
                (names[dataset.label], kind): results.series(dataset.label, algorithm.label, kind)
                for dataset in results.spec.datasets
                for kind in results.spec.regret
            }
            for (dataset, kind), rows in numbers.items():
                _, other = known.get((variant, dataset, kind), (index, rows))
                if not _same(rows, other):
                    variant = f"{variant} {index}"
                    break
            for (dataset, kind), rows in numbers.items():
                if len(rows):
                    known.setdefault((variant, dataset, kind), (index, rows))
            found[-1][algorithm.label] = variant
    return found


def _same(rows: pd.DataFrame, others: pd.DataFrame) -> bool:
    columns = ["t", "runs", "mean"]
    return not len(rows) or rows[columns].reset_index(drop=True).equals(others[columns].reset_index(drop=True))


def _renamed(figure: FigureEntry, datasets: _Names, algorithms: _Names) -> FigureEntry:
    changes: dict[str, Any] = {}
    if figure.datasets is not None:
        changes["datasets"] = tuple(datasets.get(label, label) for label in figure.datasets)
    if figure.algorithms is not None:
        changes["algorithms"] = tuple(algorithms.get(label, label) for label in figure.algorithms)
    for name in ("colors", "styles"):
        if given := getattr(figure, name, None):
            changes[name] = {algorithms.get(label, label): each for label, each in given.items()}
    if (base := getattr(figure, "normalize_by", None)) is not None:
        changes["normalize_by"] = algorithms.get(base, base)
    return figure.model_copy(update=changes)
