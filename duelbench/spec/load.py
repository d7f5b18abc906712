"""Loading a spec file, and comparing it with the spec that was run."""

from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from duelbench.errors import UserError
from duelbench.spec.figure_options import Look
from duelbench.spec.model import Spec
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset, ResolvedSpec
from duelbench.spec.validation import explain
from duelbench.spec.yaml_file import Source, parse, read


def load(path: Path, *, smoke: bool = False) -> Spec:
    """Read and validate a spec; its name defaults to the file's stem.

    With ``smoke`` the keys in its ``smoke`` block replace the keys beside it; otherwise they are only checked.

    Raises
    ------
    UserError
        For the first mistake, with file, line and one sentence.
    """
    if path.suffix == ".py":
        raise UserError("this is a Python file, not a spec: name its class in a spec", source=str(path))
    return specified(read(path), smoke=smoke)


def specified(source: Source, *, smoke: bool = False) -> Spec:
    """Validate a spec that has been read, as ``load`` does."""
    full = _validated(source)
    if full.smoke is None:
        if smoke:
            raise source.error("the spec has no small variant: add one, such as 'smoke: {runs: 2, horizon: 1e4}'")
        return full
    small = _validated(source.overlaid("smoke"))
    small._small = True
    return small if smoke else full


def _validated(source: Source) -> Spec:
    try:
        spec = Spec.model_validate({"name": source.path.stem, **source.data})
    except ValidationError as error:
        sentence, key = explain(error, Spec)
        if key == ("name",) and "name" not in source.data:
            sentence = f"the file needs another name, or a 'name' inside: {sentence}"
        raise source.error(sentence, key) from None
    spec._source = source
    return spec


_WITHOUT_EFFECT = {"name", "title", "figures", "run_timeout", *Look.model_fields}
"""Keys of a spec that change no number in the results."""


class SpecDiff(NamedTuple):
    """How a spec file differs from the spec that was run.

    ``spec``: the spec that was run, with the current titles and figures. None if anything else has changed; ``changed``
    then says what.
    """

    spec: ResolvedSpec | None
    changed: str


def spec_diff(text: str, ran: ResolvedSpec, path: Path) -> SpecDiff:
    """Compare the spec file at ``path`` with the spec that was run: its ``text``, and ``ran``, the same resolved."""
    try:
        then = parse(text, path)
    except UserError:
        return SpecDiff(None, "the manifest has no readable text of the spec that was run")
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
    return SpecDiff(None, why or "it is not the spec that was run")


def _specified(source: Source, smoke: bool) -> Spec | UserError:
    try:
        return specified(source, smoke=smoke)
    except UserError as error:
        return error


def _is(spec: Spec, ran: ResolvedSpec) -> bool:
    """Return whether ``ran`` can be ``spec`` resolved: horizons, runs, seeds and labels are equal."""
    return (
        spec.horizons == ran.horizons
        and spec.run_count == ran.runs
        and spec.seeds == ran.seeds
        and [each.label for each in spec.expanded_datasets()] == [each.label for each in ran.datasets]
        and [each.label for each in spec.expanded_algorithms()] == [each.label for each in ran.algorithms]
    )


def _numbers(spec: Spec) -> dict[str, Any]:
    """Return what determines the runs and their directories."""
    content = spec.model_dump(mode="json", exclude=_WITHOUT_EFFECT)
    for entry in [*content["datasets"], *content["algorithms"]]:
        del entry["title"]
    for entry, dataset in zip(content["datasets"], spec.datasets, strict=True):
        if dataset.arm_names is not None:
            del entry["arms"]
    return content


def _different(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [key for key in before if before[key] != after.get(key)]


def _renamed(ran: ResolvedSpec, now: Spec) -> ResolvedSpec:
    """Return the spec that was run, with the titles and figures of ``now``."""
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
