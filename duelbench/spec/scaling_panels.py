"""The panels and curves of a scaling figure: which grid points form a curve, and their x-coordinates.

The horizontal axis shows the number of arms, the delay, or a parameter of the datasets or of the algorithms.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from duelbench.errors import UserError, did_you_mean
from duelbench.spec.figure_options import ScalingFigure
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset, ResolvedEntry
from duelbench.spec.titles import distinct_titles

_OF_DATASETS = ("arms", "delay")


class Place(NamedTuple):
    """A point of a curve: its x-coordinate, and the labels of the dataset and the algorithm it shows."""

    x: float
    dataset: str
    algorithm: str


@dataclass(frozen=True)
class Curve:
    """A curve, its points in ascending order of x.

    ``first`` is the label of its first algorithm, or its first dataset, in the order of the spec. A ``level`` curve
    does not depend on x: it is drawn for comparison.
    """

    title: str
    first: str
    places: tuple[Place, ...]
    level: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves under a title."""

    title: str
    curves: tuple[Curve, ...]


def panels(
    figure: ScalingFigure, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> list[Panel]:
    """Return the panels of a scaling figure of these datasets and algorithms.

    If the parameter varies among the datasets, each dataset grid is a panel and each algorithm a curve. If it varies
    among the algorithms, each dataset is a panel; a curve is an algorithm grid at fixed values of its other parameters,
    and algorithms without the parameter are level lines if the figure names them. If every panel has a single curve,
    all curves are drawn in one panel.

    Raises
    ------
    UserError
        If no dataset and no algorithm has the parameter, or the datasets differ in more than the parameter; ``key`` is
        the key of the figure that is wrong.
    """
    name = figure.against
    by_algorithm = name not in _OF_DATASETS and any(name in each.point for each in algorithms)
    if by_algorithm and any(name in each.point for each in datasets):
        raise _refused(
            f"{name!r} varies among both the datasets and the algorithms: select some with 'datasets' or 'algorithms'"
        )
    found = (_against_algorithms if by_algorithm else _against_datasets)(figure, datasets, algorithms)
    if figure.x == "log":
        for each in (place for panel in found for curve in panel.curves for place in curve.places):
            if each.x <= 0:
                raise _refused(f"{name} = {each.x:g} cannot be shown on a logarithmic axis: write 'x: linear'", "x")
    if len(found) > 1 and all(len(panel.curves) == 1 for panel in found):
        of = found[0].curves[0].title
        shared = tuple(Curve(panel.title, panel.curves[0].places[0].dataset, panel.curves[0].places) for panel in found)
        return [Panel(of, shared)]
    return found


def _against_algorithms(
    figure: ScalingFigure, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> list[Panel]:
    name = figure.against
    grids = _grouped((each for each in algorithms if name in each.point), lambda each: (each.grid, _others(each, name)))
    titles = distinct_titles([(members[0].label, members[0].called(name)) for members in grids])
    level = [each for each in algorithms if name not in each.point] if figure.algorithms else []
    xs = sorted({_number(each.point[name], each, name) for members in grids for each in members})
    made = []
    headings = distinct_titles([(each.label, each.called()) for each in datasets])
    for dataset in datasets:
        curves = [
            Curve(
                titles[members[0].label],
                members[0].label,
                tuple(sorted(Place(float(each.point[name]), dataset.label, each.label) for each in members)),
            )
            for members in grids
        ]
        curves += [
            Curve(each.called(), each.label, tuple(Place(x, dataset.label, each.label) for x in xs), level=True)
            for each in level
        ]
        made.append(Panel(headings[dataset.label], tuple(curves)))
    return made


def _against_datasets(
    figure: ScalingFigure, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> list[Panel]:
    name = figure.against
    alone = [each for each in datasets if each.grid is None]
    if len(alone) > 1 and len({_origin(each, name) for each in alone}) > 1:
        some = ", ".join(each.label for each in alone[:3])
        raise _refused(
            f"{some} do not form a curve, as they differ in more than {name!r}: write them as one grid, "
            "such as {name: btl-uniform, arms: [10, 20]}, or select the points of one grid with 'datasets'"
        )
    grids = _grouped(datasets, lambda each: (each.grid, *((_fixed(each, name),) if each.grid else ())))
    labels = [members[0].grid or members[0].label for members in grids]
    labels = [each if labels.count(each) == 1 else grids[place][0].label for place, each in enumerate(labels)]
    headings = distinct_titles([(each, _heading(grid[0], name)) for each, grid in zip(labels, grids, strict=True)])
    names = distinct_titles([(each.label, each.called()) for each in algorithms])
    made = []
    for label, members in zip(labels, grids, strict=True):
        xs = {each.label: _coordinate(each, name, datasets, algorithms) for each in members}
        curves = tuple(
            Curve(
                names[each.label],
                each.label,
                tuple(sorted((Place(xs[one.label], one.label, each.label) for one in members), key=lambda at: at.x)),
            )
            for each in algorithms
        )
        made.append(Panel(headings[label], curves))
    return made


def _coordinate(
    entry: ResolvedDataset, name: str, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> float:
    if name in _OF_DATASETS:
        return entry.arms if name == "arms" else entry.delay
    value = entry.point.get(name, entry.identity.get("parameters", {}).get(name))
    if value is None:
        known = list(dict.fromkeys([*_OF_DATASETS, *(key for each in (*datasets, *algorithms) for key in each.point)]))
        if name in known:
            raise _refused(f"{entry.label!r} has no {name!r}: select the datasets that have it with 'datasets'")
        raise _refused(
            f"{name!r} is not a parameter of {entry.label!r}, and no algorithm has a list of values for it"
            f"{did_you_mean(name, known) or ': write one of ' + ', '.join(known)}"
        )
    return _number(value, entry, name)


def _number(value: object, entry: ResolvedEntry, name: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise _refused(f"{name!r} of {entry.label!r} is {value!r}, not a number: choose a numeric parameter")


def _others(entry: ResolvedEntry, name: str) -> tuple[tuple[str, Any], ...]:
    return tuple((key, value) for key, value in entry.point.items() if key != name)


def _fixed(entry: ResolvedDataset, name: str) -> tuple[object, ...]:
    """Return what all points of a curve share: everything but the parameter on the horizontal axis."""
    arms = entry.arms if name == "delay" else None
    return (_others(entry, name), entry.delay if name != "delay" else None, arms)


def _origin(entry: ResolvedDataset, name: str) -> tuple[object, ...]:
    parameters = entry.identity.get("parameters", {})
    others = tuple(sorted((key, str(value)) for key, value in parameters.items() if key != name))
    return (entry.origin, others if entry.origin else None)


def _heading(entry: ResolvedDataset, name: str) -> str:
    return "" if entry.grid is None else entry.called(name)


_Item = TypeVar("_Item")


def _grouped(items: Iterable[_Item], key: Callable[[_Item], object]) -> list[list[_Item]]:
    groups: dict[object, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return [*groups.values()]


def _refused(sentence: str, key: str = "against") -> UserError:
    return UserError(sentence, key=(key,))
