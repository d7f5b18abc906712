"""The content of scaling figures: a statistic against the number of arms, the delay, or a parameter.

As in Zoghi et al. 2015 and Urvoy et al. 2013.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from duelbench.errors import UserError
from duelbench.plots.curves import Curve, Curves, Panel, axes_of
from duelbench.plots.labels import in_prose
from duelbench.plots.panels import absent
from duelbench.plots.style import line_style, line_styles
from duelbench.proportions import NORMAL
from duelbench.results.results import Results
from duelbench.spec.figure_options import ScalingFigure
from duelbench.spec.scaling_panels import Panel as PlannedPanel
from duelbench.spec.scaling_panels import Place, panels
from duelbench.spec.titles import round_number, symbol
from duelbench.spec.values import goal_met

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


class _Point(NamedTuple):
    """A statistic over ``runs`` runs at ``x``, and the ends of its error bar.

    ``whole``: False if some runs had not declared a winner, or the share was not reached; its marker is then hollow.
    """

    x: float
    value: float
    low: float
    high: float
    whole: bool
    runs: int


def scaling_curves(figure: ScalingFigure, results: Results) -> Curves:
    """Return the curves of ``duelbench.spec.scaling_panels``, in the order of the spec.

    A run that has declared no winner counts with the rounds it has played; a marker says so. Raises UserError when
    nothing was recorded at ``at``, when the runs did not record that kind of regret, or there is no such axis.
    """
    kind = results.regret_kind(figure.regret)
    at = results.round_shown(figure.round)
    planned = _panels(figure, results)
    styles = line_styles(results.spec.algorithms, figure)
    firsts = dict.fromkeys(curve.first for panel in planned for curve in panel.curves)
    if not firsts.keys() <= styles.keys():  # each curve is of a dataset
        styles = {first: line_style(place) for place, first in enumerate(firsts)}
    counted = "votes" if results.spec.count == "votes" else "rounds"
    right = goal_met(results.spec.find, in_prose(kind))
    vertical = {
        "regret": f"{in_prose(kind)} regret at $t$ = {round_number(at)}",
        "duels": f"duels until {'an order' if results.spec.order_goal else 'a winner'} is declared",
        "errors": f"share of wrong winners ({in_prose(kind)})",
        "votes": "number of votes",
        "votes_to_right": f"{counted} until {figure.share:.0%} of the runs {right}",
        "votes_to_tau": f"{counted} until the mean Kendall tau distance is at most {figure.share:g}",
    }
    found, shown = [], list[_Point]()
    first, last = figure.span
    for panel in planned:
        curves, missing = [], []
        for curve in panel.curves:
            cells = [_point(figure, results, place, kind, at) for place in curve.places if first <= place.x <= last]
            points = [point for point in cells if point is not None]
            shown += points
            if points:
                curves.append(_curve(curve.title, styles[curve.first], points, curve.level))
            else:
                missing.append(curve.title)
        some = missing and (figure.show == "regret" or not curves)
        note = absent("no results", missing, len(panel.curves)) if some else ""
        bottom = 0 if figure.y == "linear" else None
        x, y = axes_of(figure, _horizontal(figure, results), vertical[figure.show], (None, None), (bottom, None))
        xs = [place.x for curve in panel.curves for place in curve.places if first <= place.x <= last]
        found.append(Panel(panel.title, curves, x._replace(numbers=xs), y, note=note))
    hollow = UNREACHED if figure.show.startswith("votes_to") else UNFILLED
    remark = "" if all(point.whole for point in shown) else hollow
    return Curves(found, _BARS[figure.show], {point.runs for point in shown}, remark)


def _curve(title: str, style: dict[str, Any], points: Sequence[_Point], level: bool) -> Curve:
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


def _panels(figure: ScalingFigure, results: Results) -> list[PlannedPanel]:
    datasets = {label for label, _ in results.shown_panels(figure)}
    algorithms = results.shown_algorithms(figure)
    by_label = {each.label: each for each in results.spec.algorithms}
    try:
        return panels(
            figure,
            [each for each in results.spec.datasets if each.label in datasets],
            [by_label[label] for label in algorithms],
        )
    except UserError as error:
        raise UserError(f"a figure cannot be drawn: {error.message}", source=str(results.directory)) from None


def _point(figure: ScalingFigure, results: Results, place: Place, kind: str, at: int) -> _Point | None:
    """Return the point of a curve at a place; None if there are no results, or a log axis cannot show it."""
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
    return _Point(x, value, value - error, value + error, whole, int(runs))


def _votes_to(figure: ScalingFigure, x: float, rows: pd.DataFrame) -> _Point | None:
    """Return the number of votes from which on more than the requested share of runs is right, or tau is small enough.

    The error bar has the numbers of votes at which this holds for the ends of 95 % intervals. A number that is never
    reached is the last number of votes.
    """
    if rows.empty:
        return None
    last = float(rows["t"].iloc[-1])

    if figure.show == "votes_to_tau":
        width = NORMAL * rows["tau_sem"].fillna(0.0)
        short_of = [rows["tau"] + sign * width > figure.share for sign in (0, -1, 1)]
    else:
        short_of = [rows[name] <= figure.share for name in ("recommended_right", "right_high", "right_low")]

    def reached(still: "pd.Series[bool]") -> float:
        short = np.flatnonzero(still)
        first = 0 if not len(short) else int(short[-1]) + 1
        return float(rows["t"].iloc[first]) if first < len(rows) else np.inf

    value, low, high = map(reached, short_of)
    whole = bool(np.isfinite(value))
    return _Point(x, min(value, last), min(low, last), min(high, last), whole, int(rows["runs"].max()))
