"""``series.json``: everything that determined the runs beside it, so that ``status`` can say why they are stale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from duelbench.files import read_json, write_whole
from duelbench.layout import SERIES
from duelbench.results.identity import SEED, Labels, SeriesIdentity
from duelbench.spec.resolved import ResolvedSpec
from duelbench.versions.record import UNCONFIRMED


def write_record(directory: Path, record: dict[str, Any]) -> None:
    """Write the record of a series into its directory."""
    write_whole(directory / SERIES, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def read_record(directory: Path) -> dict[str, Any] | None:
    """Return the record in the directory of a series; None if there is none, or it cannot be read."""
    try:
        record = read_json(directory / SERIES)
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def recorded_identity(directory: Path, spec: ResolvedSpec, labels: Labels) -> SeriesIdentity | None:
    """Return the identity of the runs in the directory of a series, from the record there, which has no columns.

    None if the record is not of the series with these labels in the spec of the manifest.
    """
    record = read_record(directory)
    if record is None:
        return None
    code = record.get("code")
    asked = [
        (one, other)
        for one in spec.datasets
        for other in spec.algorithms
        if (one.label, other.label) == labels and isinstance(code, dict) and other.code.items() <= code.items()
    ]
    determined = tuple(record.get(name) for name in ("dataset", "parameters", "delay"))
    if [(one.identity, other.parameters, one.delay) for one, other in asked] != [determined]:
        return None
    ((_, algorithm),) = asked
    rows = algorithm.horizons or spec.checkpoints
    rounds = sum(rows) if algorithm.horizons else rows[-1]
    return SeriesIdentity(labels, [], rows, spec.regret, rounds, {**record, SEED: spec.seed}, spec.seeds)


def kept_record(spec: ResolvedSpec, labels: Labels) -> dict[str, Any]:
    """Return the record of a series of which only the summary was kept, as far as the spec of its manifest has it."""
    dataset = next(each for each in spec.datasets if each.label == labels.dataset)
    algorithm = next(each for each in spec.algorithms if each.label == labels.algorithm)
    return {
        "parameters": algorithm.parameters,
        "dataset": dataset.identity,
        "rows": list(algorithm.horizons or spec.checkpoints),
        "regret": list(spec.regret),
        "shuffle_arms": spec.shuffle_arms,
        "delay": dataset.delay,
        "code": {**dataset.code, **algorithm.code},
        "reference": algorithm.reference or None,
        "ties": algorithm.ties,
        "count": spec.count if spec.count != "rounds" else None,
        "recommend": spec.recommend if spec.recommend != "none" else None,
        "find": spec.find if spec.find is None or isinstance(spec.find, str) else spec.find.model_dump(),
        "by": (spec.by or "copeland") if spec.finds_order else None,
        SEED: spec.seed,
        "runs": spec.runs,
        "until": spec.until and spec.until.model_dump(),
    }


def changes(before: dict[str, Any] | None, now: dict[str, Any]) -> list[str]:
    """Return the differences between two records as text: ``alpha 0.51 → 0.6``, ``code of kernels.ucb``."""
    if before is None:
        return ["their record is missing"]
    differences = []
    for name in dict.fromkeys([*now, *before]):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if name == "code":
            differences += _code_changes(old if isinstance(old, dict) else {}, new or {})
        elif isinstance(old, dict) and isinstance(new, dict):
            differences += [_change(each, old.get(each), new.get(each)) for each in dict.fromkeys([*new, *old])
                            if old.get(each) != new.get(each)]  # fmt: skip
        else:
            differences.append(_change(name, old, new))
    return differences


def _code_changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [_code_change(name, old.get(name), new.get(name)) for name in sorted({*old, *new})
            if old.get(name) != new.get(name)]  # fmt: skip


def _code_change(name: str, old: Any, new: Any) -> str:
    if UNCONFIRMED in str(new):
        return f"{name} edited, unconfirmed: `make fingerprints` confirms that its paths are unchanged"
    if UNCONFIRMED in str(old):
        return f"{name} was edited and unconfirmed when they were played"
    if name.startswith("its "):
        return f"code of {name}"
    return _change(f"version of {name}" if str(old or new).isdecimal() else name, old, new)


def _change(name: str, old: Any, new: Any) -> str:
    shown = [json.dumps(each, ensure_ascii=False) if each is not None else "none" for each in (old, new)]
    return f"{name} {' → '.join(shown)}" if len("".join(shown)) <= 60 and name != "matrix" else name
