"""A statistic against the number of arms, the delay, or a parameter of the datasets or of the algorithms.

Zoghi et al. (2015) and Urvoy et al. (2013) have such figures. Grid points that differ only in the parameter form a
curve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

import numpy as np
from pydantic import Field, model_validator

from duelbench.errors import UserError, did_you_mean
from duelbench.plots.content import Curve, Curves, Panel, absent, in_prose
from duelbench.plots.curves import CurvesFigure
from duelbench.plots.style import line_style, line_styles
from duelbench.proportions import NORMAL
from duelbench.spec.figures import RoundFigure, Scale, check_ordered, check_recommended
from duelbench.spec.titles import distinct_titles, round_number, symbol
from duelbench.spec.validation import mistake
from duelbench.spec.values import Horizon, goal_met

if TYPE_CHECKING:
    import pandas as pd

    from duelbench.results.results import Results
    from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset, ResolvedEntry

_Share = Annotated[float, Field(strict=True, gt=0, lt=1)]
_AXES = ("arms", "delay")
_OF_DATASETS = {
    "arms": "number of arms $K$",
    "size": "number of arms $K$",
    "delay": "delay of outcomes (rounds)",
    "gap": r"gap $\Delta$",
    "step": "difference of successive log-scores",
    "share": "share of reversed pairs",
    "h": "least difference of probabilities $h$",
    "spread": "spread of the gaps",
    "p_min": r"least winning probability $p_{\min}$",
    "delta": r"least change $\delta$",
    "winners": "number of winners",
}
"""Axis labels of parameters of datasets."""
_OF_ALGORITHMS = {
    "batches": "number of batches $B$",
    "budget": "budget (duels)",
    "duels_per_pair": "duels per pair",
    "eta": r"learning rate $\eta$",
}
"""Axis labels of parameters of algorithms; others are labelled "parameter α"."""
_BARS = {
    "regret": "mean ± standard error",
    "duels": "mean",
    "errors": "share ± standard error",
    "votes": "mean ± standard error",
    "votes_to_right": "bars: from the ends of 95 % intervals (Wilson) of the share",
    "votes_to_tau": "bars: from the ends of 95 % intervals of the mean distance",
}
UNFILLED = "hollow: not all runs declared a winner"
UNREACHED = "hollow: not reached, drawn at the last checkpoint"


class _Statistic(NamedTuple):
    """A statistic over ``runs`` runs at ``x``, and the ends of its error bar.

    ``whole``: False (a hollow marker) if some runs declared no winner, or the share was not reached.
    """

    x: float
    value: float
    low: float
    high: float
    whole: bool
    runs: int


class ScalingFigure(CurvesFigure, RoundFigure):
    """A statistic against a grid parameter: the arms, the delay, or a parameter of the datasets or the algorithms."""

    kind: Literal["scaling"] = Field(description="Curves of a statistic of the runs against a parameter.")
    against: str = Field(
        "arms",
        description="The horizontal axis: the number of arms (arms), the delay of outcomes (delay), a numeric "
        "parameter of the datasets, such as gap, or a parameter that an algorithm has a list of, such as alpha.",
    )
    show: Literal["regret", "duels", "errors", "votes", "votes_to_right", "votes_to_tau"] = Field(
        "regret",
        description="The regret at `at`; the duels until a winner is declared; the share of declared winners that are "
        "wrong (errors); the votes by `at`; the votes after which the share `at` of runs is right (votes_to_right); or "
        "those after which the mean Kendall tau distance is at most `at` (votes_to_tau). `measure` is a synonym of "
        "this key.",
    )
    at: Horizon | _Share | None = Field(  # type: ignore[assignment]
        None,
        description="The round t shown, by default the largest horizon; for votes_to_right the share of runs, by "
        "default 0.95, and for votes_to_tau the distance, by default 0.05.",
    )
    x: Scale = Field("log", description="Scale of the horizontal axis.")
    y: Scale = Field("log", description="Scale of the vertical axis.")

    @model_validator(mode="before")
    @classmethod
    def _measure(cls, written: Any) -> Any:
        if isinstance(written, dict) and "measure" in written and "show" not in written:
            return {"show" if key == "measure" else key: value for key, value in written.items()}
        return written

    @property
    def round(self) -> int | None:
        """The round shown; None if the spec does not give one."""
        return self.at if isinstance(self.at, int) else None

    @property
    def share(self) -> float:
        """For votes_to_right, the share of runs that must be right; for votes_to_tau, the largest distance."""
        default = 0.95 if self.show == "votes_to_right" else 0.05
        return default if self.at is None else float(self.at)

    @property
    def stem(self) -> str:
        """The default name of its file."""
        return f"{self.show}-by-{self.against}"

    def defaults(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that follow from the spec. Raises an error for an ``at`` of the wrong kind."""
        if self.show == "votes_to_tau":
            check_ordered(spec)
        if self.show.startswith("votes"):
            check_recommended(spec, "show")
        if not self.show.startswith("votes_to"):
            if isinstance(self.at, float):
                raise mistake(f"'at' must be a whole number, not {self.at}: write, for example, 1000 or 1e6", "at")
            return super().defaults(spec)
        if isinstance(self.at, int):
            raise mistake("'at' is a share of the runs here: write, for example, 0.95", "at")
        return super().defaults(spec) | {"at": self.at}

    def check(self, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]) -> None:
        """Raise UserError, with the option as ``key``, if these datasets and algorithms do not form curves."""
        grid_panels(self, datasets, algorithms)

    def curves(self, results: Results) -> Curves:
        """Return the curves of ``grid_panels``, in the order of the spec.

        A run without a declared winner counts with the number of rounds played, and the marker is hollow. Raises
        UserError if nothing was recorded at ``at``, the runs did not record that kind of regret, or there is no such
        axis.
        """
        kind = results.regret_kind(self.regret)
        at = results.round_shown(self.round)
        if self.show.startswith("votes"):
            results.check_recorded("votes", "recommended arms")
        if self.show == "votes_to_tau":
            results.check_recorded("tau", "the distance of orders")
        planned = _panels(self, results)
        styles = line_styles(results.spec.algorithms, self)
        firsts = dict.fromkeys(curve.first for panel in planned for curve in panel.curves)
        if not firsts.keys() <= styles.keys():  # each curve belongs to a dataset
            styles = {first: line_style(place) for place, first in enumerate(firsts)}
        counted = "votes" if results.spec.count == "votes" else "rounds"
        right = goal_met(results.spec.find, in_prose(kind))
        vertical = {
            "regret": f"{in_prose(kind)} regret at $t$ = {round_number(at)}",
            "duels": f"duels until {'an order' if results.spec.order_goal else 'a winner'} is declared",
            "errors": f"share of wrong winners ({in_prose(kind)})",
            "votes": "number of votes",
            "votes_to_right": f"{counted} until {self.share:.0%} of the runs {right}",
            "votes_to_tau": f"{counted} until the mean Kendall tau distance is at most {self.share:g}",
        }
        found, shown = [], list[_Statistic]()
        first, last = self.span
        for panel in planned:
            curves, missing = [], []
            for curve in panel.curves:
                cells = [_point(self, results, place, kind, at) for place in curve.places if first <= place.x <= last]
                points = [point for point in cells if point is not None]
                shown += points
                if points:
                    curves.append(_curve(curve.title, styles[curve.first], points, curve.level))
                else:
                    missing.append(curve.title)
            some = missing and (self.show == "regret" or not curves)
            note = absent("no results", missing, len(panel.curves)) if some else ""
            bottom = 0 if self.y == "linear" else None
            x, y = self.axes(_horizontal(self, results), vertical[self.show], (None, None), (bottom, None))
            xs = [place.x for curve in panel.curves for place in curve.places if first <= place.x <= last]
            found.append(Panel(panel.title, curves, x._replace(numbers=xs), y, note=note))
        hollow = UNREACHED if self.show.startswith("votes_to") else UNFILLED
        remark = "" if all(point.whole for point in shown) else hollow
        return Curves(found, _BARS[self.show], {point.runs for point in shown}, remark)


def _curve(title: str, style: dict[str, Any], points: Sequence[_Statistic], level: bool) -> Curve:
    x, y, low, high, whole = (np.array(column) for column in list(zip(*points, strict=True))[:5])
    ends = np.maximum(low, 0.1 * y), high  # a log axis cannot show 0 or less
    if level:
        return Curve(title, style | {"marker": ""}, x, y)
    return Curve(title, style, x, y, ends, bars=True, hollow=~whole)


def _horizontal(figure: ScalingFigure, results: Results) -> str:
    name = figure.against
    shown = results.shown_algorithms(figure)
    if any(name in each.point for each in results.spec.algorithms if each.label in shown):
        return _OF_ALGORITHMS.get(name, f"parameter {symbol(name)}")
    return _OF_DATASETS.get(name, symbol(name))


def _panels(figure: ScalingFigure, results: Results) -> list[GridPanel]:
    spec = results.spec
    datasets = {label for label, _ in results.shown_panels(figure)}
    by_label = {each.label: each for each in spec.algorithms}
    algorithms = [by_label[label] for label in results.shown_algorithms(figure)]
    try:
        return grid_panels(figure, [each for each in spec.datasets if each.label in datasets], algorithms)
    except UserError as error:
        raise UserError(f"a figure cannot be drawn: {error.message}", source=str(results.directory)) from None


def _point(figure: ScalingFigure, results: Results, place: Place, kind: str, at: int) -> _Statistic | None:
    """Return the statistic at a place of a curve; None without results, or if a log axis cannot show it."""
    x, dataset, label = place

    def cell(column: str) -> float:
        value = results.value(column, dataset, label, kind, at)
        return np.nan if value is None else value

    runs, declared = cell("runs"), cell("declared")
    if figure.show.startswith("votes_to"):
        return _votes_to(figure, x, results.series(dataset, label, kind))
    if figure.show == "regret":
        value, error, whole = cell("mean"), cell("sem"), True
    elif figure.show == "votes":
        value, error, whole = cell("votes"), cell("votes_sem"), True
    elif figure.show == "duels":
        # The mean of min(duels, at).
        value = (declared * cell("duels_to_declaration") if declared > 0 else 0.0) + (1 - declared) * at
        error, whole = np.nan, declared == 1
    else:
        value = 1 - cell("right")
        error, whole = np.sqrt(value * (1 - value) / (runs * declared)) if declared > 0 else np.nan, declared == 1
    if np.isnan(value) or (figure.y == "log" and value <= 0):
        return None
    error = 0.0 if np.isnan(error) else error
    return _Statistic(x, value, value - error, value + error, whole, int(runs))


def _votes_to(figure: ScalingFigure, x: float, rows: pd.DataFrame) -> _Statistic | None:
    """Return the number of votes after which the share of right runs exceeds the requested one, or tau is small enough.

    The error bar applies the same rule to the ends of 95 % intervals. If the level is never reached, the number is the
    last number of votes.
    """
    if rows.empty:
        return None
    last = float(rows["t"].iloc[-1])

    if figure.show == "votes_to_tau":
        width = NORMAL * rows["tau_sem"].fillna(0.0)
        short_of = [rows["tau"] + sign * width > figure.share for sign in (0, -1, 1)]
    else:
        short_of = [rows[name] <= figure.share for name in ("recommended_right", "right_high", "right_low")]

    def reached(still: pd.Series[bool]) -> float:
        short = np.flatnonzero(still)
        first = 0 if not len(short) else int(short[-1]) + 1
        return float(rows["t"].iloc[first]) if first < len(rows) else np.inf

    value, low, high = map(reached, short_of)
    whole = bool(np.isfinite(value))
    return _Statistic(x, min(value, last), min(low, last), min(high, last), whole, int(rows["runs"].max()))


class Place(NamedTuple):
    """A point of a curve: its x-coordinate, and the labels of its dataset and its algorithm."""

    x: float
    dataset: str
    algorithm: str


@dataclass(frozen=True)
class GridCurve:
    """A curve, its points in ascending order of x.

    ``first`` is the label of its first algorithm, or its first dataset, in the order of the spec. A ``level`` curve
    does not depend on x and is drawn for comparison.
    """

    title: str
    first: str
    places: tuple[Place, ...]
    level: bool = False


@dataclass(frozen=True)
class GridPanel:
    """Curves under a title."""

    title: str
    curves: tuple[GridCurve, ...]


def grid_panels(
    figure: ScalingFigure, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> list[GridPanel]:
    """Return the panels of a scaling figure of these datasets and algorithms.

    If the parameter varies among the datasets, each dataset grid is a panel and each algorithm a curve. If it varies
    among the algorithms, each dataset is a panel; a curve is an algorithm grid at fixed values of its other parameters,
    and algorithms without the parameter are level lines if the figure names them. If every panel has a single curve,
    all curves are drawn in one panel.

    Raises
    ------
    UserError
        If no dataset and no algorithm has the parameter, or the datasets differ in more than the parameter; ``key`` is
        the wrong key of the figure.
    """
    name = figure.against
    by_algorithm = name not in _AXES and any(name in each.point for each in algorithms)
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
        alone = [(panel.title, panel.curves[0].places) for panel in found]
        shared = tuple(GridCurve(title, places[0].dataset, places) for title, places in alone)
        return [GridPanel(found[0].curves[0].title, shared)]
    return found


def _against_algorithms(
    figure: ScalingFigure, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> list[GridPanel]:
    name = figure.against
    grids = _grouped((each for each in algorithms if name in each.point), lambda each: (each.grid, _others(each, name)))
    titles = distinct_titles([(members[0].label, members[0].called(name)) for members in grids])
    level = [each for each in algorithms if name not in each.point] if figure.algorithms else []
    xs = sorted({_number(each.point[name], each, name) for members in grids for each in members})
    made = []
    headings = distinct_titles([(each.label, each.called()) for each in datasets])
    for dataset in datasets:
        curves = [
            GridCurve(
                titles[members[0].label],
                members[0].label,
                tuple(sorted(Place(float(each.point[name]), dataset.label, each.label) for each in members)),
            )
            for members in grids
        ]
        curves += [
            GridCurve(each.called(), each.label, tuple(Place(x, dataset.label, each.label) for x in xs), level=True)
            for each in level
        ]
        made.append(GridPanel(headings[dataset.label], tuple(curves)))
    return made


def _against_datasets(
    figure: ScalingFigure, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> list[GridPanel]:
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
            GridCurve(
                names[each.label],
                each.label,
                tuple(sorted((Place(xs[one.label], one.label, each.label) for one in members), key=lambda at: at.x)),
            )
            for each in algorithms
        )
        made.append(GridPanel(headings[label], curves))
    return made


def _coordinate(
    entry: ResolvedDataset, name: str, datasets: Sequence[ResolvedDataset], algorithms: Sequence[ResolvedAlgorithm]
) -> float:
    if name in _AXES:
        return entry.arms if name == "arms" else entry.delay
    value = entry.point.get(name, entry.identity.get("parameters", {}).get(name))
    if value is None:
        known = list(dict.fromkeys([*_AXES, *(key for each in (*datasets, *algorithms) for key in each.point)]))
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
    """Return everything that all points of a curve share: all but the parameter on the horizontal axis."""
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
