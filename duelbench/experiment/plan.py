"""Planning: resolve every name of a spec, and check every parameter."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, parameters_of
from duelbench.arrays import Ints
from duelbench.engine.problem import checkpoints, tables_of
from duelbench.errors import Key, UserError, choose_among
from duelbench.experiment.class_checks import instantiate, load_algorithm
from duelbench.experiment.code import labelled_algorithm, labelled_dataset
from duelbench.experiment.run import instance
from duelbench.preferences.regret import needs_condorcet_winner
from duelbench.sources.sequences import ChangingDataset, changing_dataset
from duelbench.spec.entries import AlgorithmEntry, DatasetEntry, GridPoint
from duelbench.spec.figures import shown
from duelbench.spec.model import Spec
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset, ResolvedSpec
from duelbench.spec.values import Mode, OrderGoal, TierSizes, tier_sizes


def make_plan(
    spec: Spec,
    mode: Mode = "compiled",
    *,
    only: Container[str] | None = None,
    known: Mapping[str, ResolvedAlgorithm] = MappingProxyType({}),
) -> ResolvedSpec:
    """Return a spec with every name and default resolved and every grid expanded.

    ``only``: the labels of the algorithms to plan; figures are then not checked. ``known``: resolved algorithms to
    reuse, by label. Only the first of random matrices is checked to define the regret; if the matrix of a later run
    does not, that run fails.

    Raises UserError, with file and line, for every mistake that can be found without playing: in names, parameters,
    files, matrices, and regret that a matrix does not define.
    """
    datasets = []
    for point in spec.expanded_datasets():
        try:
            dataset = resolve_dataset(point, spec.source.path.parent, spec.horizons[-1])
            _check_settings(dataset, spec)
            _check_regret(dataset, spec)
        except UserError as error:
            raise _located(error, spec, point.key) from None
        datasets.append(dataset)
    at = (getattr(figure, "at", None) for figure in spec.figures)
    recorded = [*spec.horizons, *(each for each in at if isinstance(each, int))]
    density = spec.checkpoints_per_decade
    rounds = checkpoints(recorded, density) if density else np.array(sorted(set(recorded)), np.int64)
    algorithms = tuple(
        known.get(point.label) or _algorithm(point, spec, rounds)
        for point in spec.expanded_algorithms()
        if only is None or point.label in only
    )
    if only is None:
        _check_figures(spec, datasets, algorithms)
        _check_continued(spec, datasets, algorithms)
    found = {
        "runs": spec.run_count,
        "until": spec.until,
        "seed": None if spec.seeds is not None else spec.seed,
        "checkpoints": rounds.tolist(),
        "datasets": tuple(datasets),
        "algorithms": algorithms,
        "mode": mode,
    }
    resolved = ResolvedSpec.model_validate(dict(spec) | found)
    resolved._written = spec
    return resolved


def directory_of(plan: ResolvedSpec) -> Path:
    """Return the default directory of results."""
    mode = "" if plan.mode == "compiled" else plan.mode
    return Path("results", *filter(None, [mode, "smoke" if plan.written.small else ""]), plan.name)


def resolve_dataset(point: GridPoint[DatasetEntry], base: Path, horizon: int) -> ResolvedDataset:
    """Return the dataset of an entry; files are relative to ``base``, and changes end at the ``horizon``.

    Raises UserError, with a ``key`` relative to the entry.
    """
    entry = point.entry
    name = None if entry.file or entry.votes else entry.name
    source = changing_dataset(
        name=name,
        file=entry.file,
        parameters=point.parameters,
        submatrix=point.submatrix,
        base=base,
        votes=entry.votes,
        changes=entry.changes,
        horizon=horizon,
        called=None if name else entry.name,
    )
    if entry.arm_names is not None:
        source = source.with_names(entry.arm_names)
    return labelled_dataset(source, **point.naming, delay=point.delay, origin=name or entry.file or entry.votes)


def _check_settings(dataset: ResolvedDataset, spec: Spec) -> None:
    """Raise UserError for settings that need more arms or, if preferences change, need a fixed matrix."""
    if spec.order_goal:
        tier_sizes(spec.order_goal, dataset.arms)
    if not isinstance(dataset.source, ChangingDataset):
        return
    if spec.order_goal:
        raise UserError("the order of arms can be found only if it does not change: remove this", key=("changes",))
    if spec.count == "votes":
        raise UserError("changes happen at rounds, and a budget counts votes: write 'horizon'", key=("changes",))
    for figure in spec.figures:
        if getattr(figure, "bounds", ()):
            raise UserError("bounds need a single matrix: remove the figures' 'bounds', or this", key=("changes",))


def _check_figures(spec: Spec, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]) -> None:
    for index, figure in enumerate(spec.figures):
        try:
            shown(figure.algorithms, algorithms)
        except KeyError as missing:
            known = choose_among(missing.args[0], (each.label for each in algorithms))
            fault = f"no algorithm has the label or name {missing.args[0]!r}{known}"
            raise spec.source.error(fault, ("figures", index, "algorithms")) from None
        try:
            figure.check(shown(figure.datasets, datasets), shown(figure.algorithms, algorithms))
        except UserError as error:
            raise _located(error, spec, ("figures", index)) from None


def _check_continued(spec: Spec, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]) -> None:
    """Raise UserError if an algorithm cannot use the earlier votes, or if the spec has a horizon instead of a budget.

    An algorithm that cannot learn from them is allowed if a common rule, which uses them, recommends the arms.
    """
    points = zip(spec.expanded_datasets(), datasets, strict=True)
    continued = next((point for point, each in points if each.source.earlier_votes is not None), None)
    if continued is None:
        return
    if spec.count != "votes":
        raise spec.source.error("'continue' needs a budget of votes: write 'budget'", continued.key)
    for point, algorithm in zip(spec.expanded_algorithms(), algorithms, strict=True):
        if spec.recommend == "own" and not algorithm.kind.learns_off_policy:
            raise spec.source.error(
                f"{algorithm.kind.name} learns only from its own duels, not from earlier votes: write 'recommend: "
                f"posterior', which uses them, or remove it, or 'continue' from {continued.label}",
                point.key,
            )


def _check_regret(dataset: ResolvedDataset, spec: Spec) -> None:
    """Raise UserError if the matrix of the first run does not define the regret."""
    kinds = [kind for kind in spec.regret if needs_condorcet_winner(kind)]
    if not kinds:
        return
    number = spec.only_runs[0] if spec.only_runs else 0
    try:
        for _ in tables_of(instance(dataset, *spec.seed_of(number), shuffle_arms=False), kinds):
            pass
    except UserError as error:
        if dataset.source.varies:
            error.message = f"in run {number}: {error.message}"
        raise


def _algorithm(point: GridPoint[AlgorithmEntry], spec: Spec, rounds: Ints) -> ResolvedAlgorithm:
    entry = point.entry
    try:
        kind = load_algorithm(entry.name, spec.source.path.parent)
        wanted = {} if kind.source_text else goal_parameters(spec.order_goal)
        goal = {name: value for name, value in wanted.items() if name in kind.model_fields}
        algorithm = instantiate(kind, {**goal, **point.parameters})
    except UserError as error:
        raise _located(error, spec, point.key) from None
    if max(spec.feedback.delay) > 1 and not kind.supports_delay:
        raise spec.source.error(
            f"{kind.name} waits for the outcomes of its batches, so feedback cannot be delayed: remove one of the two",
            point.key,
        )
    if spec.count == "votes" and kind.detects():
        raise spec.source.error(
            f"{kind.name} looks for changes, which happen at rounds, and a budget counts votes: write 'horizon'",
            point.key,
        )
    _check_ties(kind, entry, spec, (*point.key, "ties"))
    horizons: tuple[int, ...] | None
    if entry.horizons is not None and not kind.uses_horizon:
        raise spec.source.error(
            f"{kind.name} does not use its horizon, so one run gives the whole curve: remove 'horizons'",
            (*point.key, "horizons"),
        )
    if entry.horizons == "sweep":
        horizons = tuple(rounds.tolist())
    elif entry.horizons is not None:
        horizons = entry.horizons
    elif kind.uses_horizon and len(spec.horizons) > 1:
        horizons = spec.horizons
    else:
        horizons = None
    return labelled_algorithm(
        kind,
        **point.naming,
        name=entry.name,
        title=None if entry.label else kind.title + (f" (ties: {entry.ties})" if entry.ties else ""),
        parameters=parameters_of(algorithm),
        horizons=horizons,
        ties=None if entry.ties == ("keep" if kind.takes_ties else "coin") else entry.ties,
    )


def goal_parameters(goal: OrderGoal | None) -> dict[str, Any]:
    """Return the parameters that tell an algorithm what to find, unless its entry has them."""
    if goal is None:
        return {}
    if goal == "ranking":
        return {"tiers": "order"}
    return goal.model_dump() if isinstance(goal, TierSizes) else {"top": goal.top, "tiers": (goal.top,)}


def _check_ties(kind: type[Algorithm], entry: AlgorithmEntry, spec: Spec, key: tuple[Key, ...]) -> None:
    """Raise UserError if an algorithm cannot receive ties as its entry says."""
    if entry.ties == "keep" and not kind.takes_ties:
        raise spec.source.error(f"{kind.name} has no third outcome: write coin or drop", key)
    if entry.ties != "drop":
        return
    for cannot, what in (
        (max(spec.feedback.delay) > 1, "feedback is not delayed"),
        (kind.detects(), "the algorithm detects no changes"),
    ):
        if cannot:
            raise spec.source.error(f"ties can be dropped only where {what}: write coin", key)


def _located(error: UserError, spec: Spec, key: tuple[str | int, ...]) -> UserError:
    """Give an error the line of the spec, unless it already has the line of another file."""
    if error.source is not None and error.line is not None:
        return error
    message = f"{error.source}: {error.message}" if error.source else error.message
    return spec.source.error(message, (*key, *error.key))
