"""A spec file as it is now beside what was run of it: other figures and titles since then make no new runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from duelbench.errors import UserError
from duelbench.spec.load import specified
from duelbench.spec.model import Spec
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset, ResolvedSpec
from duelbench.spec.source import Source, parse, read

OF_NO_CONSEQUENCE = {"name", "title", "figures", "run_timeout"}
"""Keys of a spec that change no number."""


class SpecDiff(NamedTuple):
    """What has become of a spec: ``spec``, as it was run but with the titles and figures of now.

    Or, where that would not be true of the runs, ``changed``: why.
    """

    spec: ResolvedSpec | None
    changed: str


def spec_diff(text: str, ran: ResolvedSpec, path: Path) -> SpecDiff:
    """Compare the spec file at ``path`` with the ``text`` of the one that was run, ``ran`` as resolved."""
    try:
        then = parse(text, path)
    except UserError:
        return SpecDiff(None, "of then nothing is known")
    try:
        now = read(path)
    except UserError as error:
        return SpecDiff(None, f"it cannot be read: {error}")
    why = ""
    for smoke in (False, True):
        before = _specified(then, smoke)
        if not isinstance(before, Spec) or not _is(before, ran):
            continue
        after = _specified(now, smoke)
        if not isinstance(after, Spec):
            return SpecDiff(None, f"it cannot be read: {after}")
        different = _different(_numbers(before), _numbers(after))
        if not different:
            return SpecDiff(_renamed(ran, after), "")
        why = f"it has changed in {', '.join(different)}"
    return SpecDiff(None, why or "it is not the one that was run")


def _specified(source: Source, smoke: bool) -> Spec | UserError:
    try:
        return specified(source, smoke=smoke)
    except UserError as error:
        return error


def _is(spec: Spec, ran: ResolvedSpec) -> bool:
    """Return whether a resolved spec can be of this one: what tells the variants of a spec apart is the same."""
    return (
        spec.horizons == ran.horizons
        and spec.run_count == ran.runs
        and spec.seeds == ran.seeds
        and [each.label for each in spec.expanded_datasets()] == [each.label for each in ran.datasets]
        and [each.label for each in spec.expanded_algorithms()] == [each.label for each in ran.algorithms]
    )


def _numbers(spec: Spec) -> dict[str, Any]:
    """Return what determines the runs and their directories."""
    said = spec.model_dump(mode="json", exclude=OF_NO_CONSEQUENCE)
    for entry in [*said["datasets"], *said["algorithms"]]:
        del entry["title"]
    for entry, dataset in zip(said["datasets"], spec.datasets, strict=True):
        if dataset.arm_names is not None:
            del entry["arms"]
    return said


def _different(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [key for key in before if before[key] != after.get(key)]


def _renamed(ran: ResolvedSpec, now: Spec) -> ResolvedSpec:
    """Return what was run, with the titles and figures of ``now``."""
    datasets: tuple[ResolvedDataset, ...] = tuple(
        each.model_copy(update=point.naming) for each, point in zip(ran.datasets, now.expanded_datasets(), strict=True)
    )
    algorithms: tuple[ResolvedAlgorithm, ...] = tuple(
        each.model_copy(update=point.naming)
        for each, point in zip(ran.algorithms, now.expanded_algorithms(), strict=True)
    )
    return ran.model_copy(
        update={"title": now.title, "figures": now.figures, "datasets": datasets, "algorithms": algorithms}
    )
