"""The results of an experiment as pandas frames, for further statistics and figures."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from duelbench.errors import UserError
from duelbench.layout import RANKED, SUMMARY_COUNTS, SUMMARY_NAMES
from duelbench.results.manifest import Extremes, Manifest
from duelbench.results.results import Results
from duelbench.results.runs import SeriesRuns
from duelbench.results.summary import AGAIN
from duelbench.results.summary import numbers as numbers_of
from duelbench.spec.resolved import ResolvedDataset, ResolvedSpec


@dataclass(frozen=True, repr=False)
class Experiment:
    """The results of an experiment as pandas frames.

    Labels are categories in the order of the spec. Integers and Booleans that may be missing have the types ``Int64``
    and ``boolean``. ``summary`` and ``runs`` also have the columns ``arms``, ``delay`` and the parameters of ``series``
    that differ between series.

    Attributes
    ----------
    spec : dict
        The spec with all defaults resolved and grids expanded, as in ``manifest.json``.
    series : DataFrame
        One row for each algorithm on each dataset: ``dataset`` and ``algorithm`` (labels, to merge on),
        ``dataset_title``, ``algorithm_title``, ``name`` (of the algorithm), ``arms``, ``delay``, ``runs``, ``best`` and
        ``worst`` (the numbers of these runs), and every parameter; parameters of datasets begin with ``dataset_``.
    summary : DataFrame
        The rows of ``summary.csv``, statistics over runs: ``dataset``, ``algorithm``, ``regret`` (the kind), ``t``,
        ``runs``, ``mean``, ``std``, ``sem``, quantiles ``q05`` … ``q95``, ``skewness`` and ``kurtosis``; for algorithms
        that declare a winner also ``declared``, ``duels_to_declaration`` and ``right``.
    runs : DataFrame
        One row for each run, kind of regret and checkpoint: ``dataset``, ``algorithm``, ``regret`` (the kind), ``run``,
        ``t``, ``value`` (cumulative regret), ``declared_at`` (the duels before a declaration by t), ``right`` (whether
        the declared arm has no regret), ``votes`` (duels of different arms so far), ``recommended`` (the arm) and
        ``simple`` (its simple regret); where the order of the arms is the goal, the measures ``tau``, ``overlap``,
        ``epsilon`` and ``exact`` of the order that begins with this arm.
    """

    spec: dict[str, Any]
    series: pd.DataFrame
    summary: pd.DataFrame
    runs: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return ``runs``, as ``Simulation.to_frame`` does.

        Returns
        -------
        DataFrame
            One row for each run, kind of regret and checkpoint.
        """
        return self.runs

    def __repr__(self) -> str:
        frames = ", ".join(f"{len(getattr(self, name)):,} {name}" for name in ("series", "summary", "runs"))
        return f"Experiment({self.spec['name']!r}: rows of {frames})"


def read_experiment(results: Results) -> Experiment:
    """Return results as frames. Raises UserError if they are not finished, or a file is damaged."""
    asked, spec = results.spec, results.spec.model_dump(mode="json")
    summary = results.summary.astype(dict.fromkeys(SUMMARY_COUNTS, "int64"))
    summed: dict[Any, int] = summary.groupby(["dataset", "algorithm"]).runs.max().to_dict()
    packed = not any(runs.numbers for runs in results.runs.values())
    series = [
        rows for labels, runs in results.runs.items() for rows in _runs(runs, 0 if packed else summed.get(labels, 0))
    ]
    runs = pd.concat(series, ignore_index=True) if series else pd.DataFrame(columns=[*SUMMARY_NAMES, *_RUN_TYPES])
    order: dict[str, list[str]] = {
        "dataset": [each.label for each in asked.datasets],
        "algorithm": [each.label for each in asked.algorithms],
        "regret": list(asked.regret),
    }
    categories = {name: pd.CategoricalDtype(each) for name, each in order.items()}
    types = {name: kind for name, kind in _RUN_TYPES.items() if name in runs}
    about = _series(asked, results.manifest, summed)
    wanted = ["arms", "delay", *about.columns[len(_SERIES) :]]
    varying = [name for name in wanted if about[name].nunique(dropna=False) > 1]
    return Experiment(
        spec,
        about.astype({name: categories[name] for name in ("dataset", "algorithm")}),
        _with(summary, about[["dataset", "algorithm", *varying]]).astype(categories),
        _with(runs.astype(types), about[["dataset", "algorithm", *varying]]).astype(categories),
    )


_RUN_TYPES = {
    "run": "int64",
    "t": "int64",
    "value": "float64",
    "declared_at": "Int64",
    "right": "boolean",
    "votes": "Int64",
    "recommended": "Int64",
    "simple": "float64",
    "tau": "float64",
    "overlap": "float64",
    "epsilon": "float64",
    "exact": "boolean",
}
"""The types of the columns of runs, beside those of labels."""
_SERIES = ["dataset", "algorithm", "dataset_title", "algorithm_title", "name", "arms", "delay", "runs", "best", "worst"]
"""The columns of series; parameters follow."""


def _series(spec: ResolvedSpec, manifest: Manifest, summed: dict[Any, int]) -> pd.DataFrame:
    """Return the frame with a row for each series."""
    titles = spec.dataset_titles(), spec.algorithm_titles()
    rows = []
    for dataset in spec.datasets:
        for algorithm in spec.algorithms:
            ends = manifest.extremes.get(dataset.label, {}).get(algorithm.label, Extremes())
            rows.append(
                {
                    "dataset": dataset.label,
                    "algorithm": algorithm.label,
                    "dataset_title": titles[0][dataset.label],
                    "algorithm_title": titles[1][algorithm.label],
                    "name": algorithm.name,
                    "arms": dataset.arms,
                    "delay": dataset.delay,
                    "runs": summed.get((dataset.label, algorithm.label), 0),
                    "best": ends.best,
                    "worst": ends.worst,
                    **{name: value for name, value in algorithm.parameters.items() if name not in _SERIES},
                    **_of_dataset(dataset),
                }
            )
    return pd.DataFrame(rows).astype({"best": "Int64", "worst": "Int64"})


def _of_dataset(dataset: ResolvedDataset) -> dict[str, Any]:
    """Return the parameters of a dataset by the names of their columns; K is in the column ``arms``."""
    submatrix = dataset.identity.get("submatrix")
    given = {**(dataset.identity.get("parameters") or {}), **(submatrix if isinstance(submatrix, dict) else {})}
    return {f"dataset_{name}": value for name, value in given.items() if name != "arms"}


def _with(frame: pd.DataFrame, about: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the columns of ``about``, which has a row for each dataset and algorithm."""
    if len(about.columns) == 2:
        return frame
    return frame.merge(about, on=["dataset", "algorithm"], how="left", validate="many_to_one")


def _runs(runs: SeriesRuns, summed: int) -> Iterator[pd.DataFrame]:
    """Yield for each kind of regret the runs of a series, with a row for each run and checkpoint.

    Raises UserError if their number is not ``summed``, the number of runs in the summary.
    """
    place, series = str(runs.place), runs.series
    numbers, rounds = [number for number in runs.numbers if number in runs.asked], series.rows
    if len(numbers) != summed:
        raise UserError(f"the summary has {summed} runs, but the directory has {len(numbers)}: {AGAIN}", source=place)
    if not numbers:
        return
    header, bodies = "", []
    for number in numbers:
        state, body = runs.examine(number)
        if state != "done":
            raise UserError(f"this run is {state}: {AGAIN}", source=str(runs.path(number)))
        header = header or body.partition("\n")[0]
        bodies.append(body)
    try:
        columns = np.concatenate([numbers_of(body) for body in bodies], axis=1)  # pandas before 3.1 rounds otherwise
        table = dict(zip(header.split(",")[1:], columns, strict=True))
        whole = table.keys() >= {*series.spec.regret} and columns.shape[1] == len(numbers) * len(rounds)
    except ValueError:
        whole = False
    if not whole:
        raise UserError(f"these are not the runs of a series: {AGAIN}", source=place)
    for kind in series.spec.regret:
        yield pd.DataFrame(
            {
                "dataset": series.dataset.label,
                "algorithm": series.algorithm.label,
                "regret": kind,
                "run": np.repeat(numbers, len(rounds)),
                "t": np.tile(rounds, len(numbers)),
                "value": table[kind],
                "declared_at": table.get("declared_at", float("nan")),
                "right": table.get(f"right_{kind}", float("nan")),
                "votes": table.get("votes", float("nan")),
                "recommended": table.get("recommended", float("nan")),
                "simple": table.get(f"simple_{kind}", float("nan")),
                **{name: table[name] for name in RANKED if name in table},
            }
        )
