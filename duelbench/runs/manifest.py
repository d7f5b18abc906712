"""``manifest.json``: what an experiment was, on what it ran, and how long its runs took."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from duelbench import __version__
from duelbench.runs.plan import Plan
from duelbench.runs.results import write_whole

Timings = dict[str, dict[str, list[float | None]]]


def write_manifest(plan: Plan, directory: Path, timings: Timings, began: datetime) -> None:
    """Write the manifest; ``timings[dataset][label][number]`` is in seconds, None where unknown."""
    manifest = {
        "spec": resolved(plan),
        "spec_path": str(plan.spec.source.path.resolve()),
        "spec_text": plan.spec.source.path.read_text(encoding="utf-8"),
        "versions": _versions(),
        "commit": _commit(),
        "machine": {
            "system": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
        "began": began.isoformat(timespec="seconds"),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds_per_run": timings,
    }
    write_whole(directory / "manifest.json", json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


def resolved(plan: Plan) -> dict[str, Any]:
    """Return the spec with every default and name resolved."""
    spec = plan.spec
    return {
        "name": spec.name,
        "title": spec.title,
        "horizons": list(spec.horizons),
        "runs": plan.runs,
        "seeds": list(spec.seeds) if spec.seeds is not None else None,
        "seed": None if spec.seeds is not None else spec.seed,
        "shuffle_arms": spec.shuffle_arms,
        "regret": list(spec.regret),
        "run_timeout": spec.run_timeout,
        "feedback": spec.feedback.model_dump(mode="json"),
        "checkpoints": plan.checkpoints.tolist(),
        "datasets": [
            {
                "label": planned.label,
                "title": planned.dataset.title,
                "arms": planned.dataset.arms,
                "delay": planned.delay,
                "grid": planned.grid,
                "citation": planned.dataset.citation,
                "identity": planned.dataset.identity(),
            }
            for planned in plan.datasets
        ],
        "algorithms": [
            {
                "label": planned.label,
                "name": planned.reference,
                "parameters": planned.build().model_dump(mode="json"),
                "horizons": list(planned.horizons) if planned.horizons else None,
                "citation": planned.kind.citation,
            }
            for planned in plan.algorithms
        ],
        "figures": [figure.model_dump(mode="json") for figure in spec.figures],
    }


def earlier_timings(directory: Path) -> Timings:
    """Return the timings in the manifest of an earlier execution, for runs that are not played again."""
    try:
        found = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))["seconds_per_run"]
        return {
            dataset: {label: [_seconds(each) for each in timings] for label, timings in series.items()}
            for dataset, series in found.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "numba", "llvmlite", "pydantic")
    return {"duelbench": __version__} | {name: importlib.metadata.version(name) for name in packages}


def _commit() -> str | None:
    """Return the commit of a checkout, with ``+`` when its files differ from it; None elsewhere."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True).stdout

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "HEAD").strip() + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None
