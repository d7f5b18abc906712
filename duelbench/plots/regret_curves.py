"""The content of regret figures: cumulative regret against t, the main figure of most papers."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from duelbench.arrays import Floats
from duelbench.plots.curves import Curve, Curves, Panel, axes_of
from duelbench.plots.labels import in_prose
from duelbench.plots.panels import absent
from duelbench.plots.style import bound_style, line_styles
from duelbench.results.results import Results
from duelbench.spec.figure_options import Band, RegretFigure, Scale

_BANDS: Mapping[Band, str] = {
    "sem": "mean ± standard error",
    "std": "mean ± standard deviation",
    "quantiles": "mean, band from the 5 % to the 95 % quantile",
    "none": "mean",
}
# Bounds are straight lines on a logarithmic t axis; this many points make them smooth on a linear one.
_BOUND_POINTS = 200


def regret_curves(figure: RegretFigure, results: Results) -> Curves:
    """Return mean regret and its band against t: one panel per dataset.

    A note in a panel names what cannot be shown: algorithms without results, algorithms without regret on a log axis,
    and infinite bounds. Raises UserError when the runs did not record this kind of regret, or a bound was not computed.
    """
    kind = results.regret_kind(figure.regret)
    shown, panels, titles = results.shown_algorithms(figure), results.shown_panels(figure), results.titles
    styles = line_styles(results.spec.algorithms, figure)
    constants: dict[str, list[float]] = {
        name: [results.bound(dataset, name) for dataset, _ in panels] for name in figure.bounds
    }
    together = _coinciding(constants)
    changes = {each.label: each.changes for each in results.spec.datasets}
    first, last = figure.span
    t = [each for each in results.checkpoints if first <= each <= last] or results.checkpoints  # none: without results
    runs = set[int]()
    found = []
    for index, (dataset, title) in enumerate(panels):
        rows = {label: results.series(dataset, label, kind) for label in shown}
        rows = {label: each[each["t"].between(first, last)] for label, each in rows.items()}
        runs |= {int(count) for each in rows.values() for count in each["runs"]}
        bottom, top = _vertical_range(figure.y, [*rows.values()])
        curves = [_curve(titles[label], styles[label], each, figure, bottom) for label, each in rows.items()]
        lines = [
            _bound(" = ".join(names), names[0], constants[names[0]][index], t, figure.y)
            for names in together
            if math.isfinite(constants[names[0]][index])
        ]
        infinite = [name for name in figure.bounds if math.isinf(constants[name][index])]
        x, y = axes_of(
            figure,
            results.counted,
            f"cumulative {in_prose(kind)} regret",
            _horizontal_range(figure.x, t),
            (bottom, top),
        )
        note = _note(rows, figure.y, infinite, titles)
        found.append(Panel(title, curves, x, y, lines, note, changes.get(dataset) or ()))
    return Curves(found, _BANDS[figure.band], runs)


def _note(curves: Mapping[str, pd.DataFrame], scale: Scale, infinite: Sequence[str], titles: Mapping[str, str]) -> str:
    hidden = {
        "no results": [label for label, rows in curves.items() if rows.empty],
        "no regret": [
            label for label, rows in curves.items() if scale == "log" and len(rows) and not (rows["mean"] > 0).any()
        ],
    }
    notes = [
        absent(reason, [titles[label] for label in labels], len(curves)) for reason, labels in hidden.items() if labels
    ]
    if infinite:
        notes.append(f"infinite: {', '.join(infinite)}")
    return "; ".join(notes)


def _coinciding(constants: Mapping[str, Sequence[float]]) -> list[list[str]]:
    """Return the names of bounds, in groups that have equal constants in every panel."""
    groups: list[list[str]] = []
    for name, values in constants.items():
        same = next((names for names in groups if np.allclose(constants[names[0]], values, rtol=1e-6, atol=0)), None)
        if same is None:
            groups.append([name])
        else:
            same.append(name)
    return groups


def _horizontal_range(scale: Scale, checkpoints: Sequence[int]) -> tuple[float, float]:
    first, last = checkpoints[0], checkpoints[-1]
    if scale == "linear":
        return 0.0, 1.02 * last
    margin = (last / first) ** 0.02 if first < last else 10.0
    return first / margin, last * margin


def _vertical_range(scale: Scale, curves: Sequence[pd.DataFrame]) -> tuple[float, float | None]:
    """Return the ends of an axis of regret; only adversarial regret can be negative."""
    means = np.concatenate([np.zeros(0), *(each["mean"] for each in curves)])
    positive = means[means > 0]
    bottom = float(means.min(initial=0.0)) if scale == "linear" else 0.7 * float(positive.min(initial=math.inf))
    if not len(positive):
        return (bottom if scale == "linear" else 0.7), 10.0
    return bottom, None


def _bound(title: str, name: str, constant: float, checkpoints: Sequence[int], scale: Scale) -> Curve:
    """Return the line of constant · log t; on a log axis only where it is positive."""
    t = np.geomspace(checkpoints[0], checkpoints[-1], _BOUND_POINTS)
    regret = constant * np.log(t)
    visible = (regret > 0) | (scale == "linear")
    return Curve(title, bound_style(name), t[visible], regret[visible])


def _curve(title: str, style: Mapping[str, object], rows: pd.DataFrame, figure: RegretFigure, bottom: float) -> Curve:
    rows = rows[rows["mean"] > 0] if figure.y == "log" else rows
    ends = _band(rows, figure.band)
    return Curve(title, style, rows["t"].to_numpy(), rows["mean"].to_numpy(), ends and (ends[0].clip(bottom), ends[1]))


def _band(rows: pd.DataFrame, band: Band) -> tuple[Floats, Floats] | None:
    """Return the lower and upper ends of the band around the means; None if there is no band."""
    if band == "none" or rows["runs"].max() == 1:
        return None
    if band == "quantiles":
        return rows["q05"].to_numpy(), rows["q95"].to_numpy()
    mean, width = rows["mean"].to_numpy(), rows[band].to_numpy()
    return mean - width, mean + width
