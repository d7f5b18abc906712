"""The results of an experiment as pandas frames, for statistics and figures of one's own."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from duelbench.errors import UserError
from duelbench.layout import (
    MANIFEST,
    MOST_BYTES_OF_A_MANIFEST,
    MOST_BYTES_OF_A_SUMMARY,
    SUMMARY,
    SUMMARY_NAMES,
    run_file,
)
from duelbench.reading import read_json, regular
from duelbench.runs.files import examine, numbers_there
from duelbench.runs.record import recorded_key
from duelbench.sealed import check_seal
from duelbench.spec.resolved import ResolvedSpec

AGAIN = "`duelbench run` the spec again"


@dataclass(frozen=True)
class Experiment:
    """An experiment that has been run.

    ``spec``: the spec with every default resolved and every grid expanded, as ``manifest.json`` has it.

    ``summary``: the lines of ``summary.csv``, statistics over runs; columns dataset, algorithm, regret (its kind), t,
    runs, mean, std, sem, q05 … q95, of algorithms that declare a winner declared, duels_to_declaration, right, and
    skewness and kurtosis.

    ``runs``: every run; columns dataset, algorithm, regret (its kind), run, t, value (the cumulative regret), and
    declared_at and right: the duels before the algorithm declared a winner by t, and whether that arm has no regret.
    votes, recommended and simple: the duels of different arms so far, the arm recommended, and its simple regret.
    """

    spec: dict[str, Any]
    summary: pd.DataFrame
    runs: pd.DataFrame


def load_results(directory: str | Path) -> Experiment:
    """Read the results that ``duelbench run`` has written to a directory.

    All runs are in memory: a row for each run, checkpoint and kind of regret, of about 50 bytes, and 130 while they are
    read.

    Raises
    ------
    UserError
        There is no finished experiment, or a file in it is damaged.

    Examples
    --------
    >>> from duelbench import load_results
    >>> experiment = load_results("results/demo")
    >>> last = experiment.runs[experiment.runs.t == experiment.runs.t.max()]
    >>> last.groupby(["dataset", "algorithm"], observed=True).value.mean().round(1).to_dict()
    {('cyclic4', 'rucb'): 305.3, ('cyclic4', 'uniform'): 500.8}
    """
    place = Path(directory)
    manifest, asked = _manifest(place / MANIFEST)
    spec = asked.model_dump(mode="json")
    summary = _summary(place / SUMMARY, manifest)
    summed: dict[Any, int] = summary.groupby(["dataset", "algorithm"]).runs.max().to_dict()
    packed = not any(numbers_there(place / dataset / algorithm) for dataset, algorithm in summed)
    series = [
        rows
        for dataset in spec["datasets"]
        for algorithm in spec["algorithms"]
        for rows in _runs(
            place / dataset["label"] / algorithm["label"],
            asked,
            {"dataset": dataset["label"], "algorithm": algorithm["label"]},
            algorithm["horizons"] or spec["checkpoints"],
            0 if packed else summed.get((dataset["label"], algorithm["label"]), 0),
        )
    ]
    runs = (
        pd.concat(series, ignore_index=True) if series else pd.DataFrame(columns=[*SUMMARY_NAMES, "run", "t", "value"])
    )
    return Experiment(spec, summary, runs.astype(dict.fromkeys(SUMMARY_NAMES, "category")))


def _manifest(path: Path) -> tuple[dict[str, Any], ResolvedSpec]:
    """Return the manifest, and the spec in it."""
    try:
        manifest = read_json(path, MOST_BYTES_OF_A_MANIFEST)
        return manifest, ResolvedSpec.model_validate(manifest["spec"])
    except FileNotFoundError:
        raise UserError(f"{path.parent} is not the results of an experiment: it has no {path.name}") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"is not a manifest of this version: {AGAIN}", source=str(path)) from None


def _summary(path: Path, manifest: dict[str, Any]) -> pd.DataFrame:
    try:
        with regular(path, MOST_BYTES_OF_A_SUMMARY).open(encoding="utf-8", newline="") as file:
            found = pd.read_csv(file, dtype=dict.fromkeys(SUMMARY_NAMES, str), keep_default_na=False, na_values=[""])
        check_seal(path, manifest)
        return found
    except FileNotFoundError:
        raise UserError(f"{path.parent} has no {path.name}: {AGAIN} to finish it") from None
    except (OSError, ValueError):
        raise UserError(f"is not the summary of an experiment: {AGAIN}", source=str(path)) from None


def _runs(
    place: Path, spec: ResolvedSpec, labels: dict[str, str], rounds: list[int], summed: int
) -> Iterator[pd.DataFrame]:
    """Yield the runs of a series, of one kind of regret after the other, each run with a row for each of the rounds.

    They must be as many as were ``summed``.
    """
    asked = spec.numbers(labels["dataset"], labels["algorithm"])
    numbers = [number for number in numbers_there(place) if number in asked]
    if len(numbers) != summed:
        raise UserError(f"of {summed} runs in the summary {len(numbers)} are there: {AGAIN}", source=str(place))
    if not numbers:
        return
    key = recorded_key(place, spec, labels["dataset"], labels["algorithm"])
    if key is None:
        raise UserError(f"these are not the runs of the manifest: {AGAIN}", source=str(place))
    times = list(map(str, rounds))
    header, bodies = "", []
    for number in numbers:
        path = place / run_file(number)
        state, body = examine(path, key(number))
        if state != "done":
            raise UserError(f"is {state}: {AGAIN}", source=str(path))
        first, _, rows = body.partition("\n")
        header = header or first
        # What the series is, is the same for all of its runs, and a row of each of them is one of the table.
        if first != header or [row.partition(",")[0] for row in rows.splitlines()] != times:
            raise UserError(f"these are not the numbers of a run: remove it, and {AGAIN}", source=str(path))
        bodies.append(rows)
    try:
        table = pd.read_csv(io.StringIO("\n".join([header, "".join(bodies)])))
        missing = {"t", *spec.regret}.difference(table)
    except ValueError:
        missing = {"t"}
    if missing or len(table) != len(numbers) * len(rounds):
        raise UserError(f"these are not the runs of a series: {AGAIN}", source=str(place))
    for kind in spec.regret:
        yield pd.DataFrame(
            {
                **labels,
                "regret": kind,
                "run": np.repeat(numbers, len(rounds)),
                "t": table["t"],
                "value": table[kind],
                "declared_at": table.get("declared_at", float("nan")),
                "right": table.get(f"right_{kind}", float("nan")),
                "votes": table.get("votes", float("nan")),
                "recommended": table.get("recommended", float("nan")),
                "simple": table.get(f"simple_{kind}", float("nan")),
            }
        )
