"""Curves of cumulative regret against t, the main figure of most papers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from duelbench.arrays import Floats
from duelbench.plots.content import Curve, Curves, Panel, absent, in_prose
from duelbench.plots.curves import CurvesFigure
from duelbench.plots.style import bound_style, line_styles
from duelbench.spec.figures import Scale
from duelbench.spec.validation import mistake
from duelbench.spec.values import REGRET_BOUNDED, BoundName, distinct

if TYPE_CHECKING:
    import pandas as pd

    from duelbench.results.results import Results

Band = Literal["sem", "std", "quantiles", "none"]
_BANDS: Mapping[Band, str] = {
    "sem": "mean ± standard error",
    "std": "mean ± standard deviation",
    "quantiles": "mean, band from the 5 % to the 95 % quantile",
    "none": "mean",
}
_STEMS: Mapping[tuple[Scale, Scale], str] = {
    ("log", "linear"): "regret",
    ("log", "log"): "regret-loglog",
    ("linear", "linear"): "regret-linear",
    ("linear", "log"): "regret-logy",
}
# Bounds are straight lines on a logarithmic t axis; this many points make them smooth on a linear one.
_BOUND_POINTS = 200


class RegretFigure(CurvesFigure):
    """Mean cumulative regret against t: one panel per dataset, one curve per algorithm."""

    against_rounds: ClassVar[bool] = True

    kind: Literal["regret"] = Field(description="Curves of the mean cumulative regret.")
    x: Scale = Field("log", description="Scale of t.")
    y: Scale = Field("linear", description="Scale of the regret.")
    band: Band = Field(
        "sem",
        description="Around the mean: its standard error, the standard deviation, quantiles of the runs, or nothing.",
    )
    bounds: Annotated[tuple[BoundName, ...], AfterValidator(distinct)] = Field(
        (),
        description="Asymptotic bounds, drawn as constant · log t. For copeland regret: LB, the lower bound of all "
        "consistent algorithms, and ECWB, the regret of ECW-RMED; for condorcet regret: RMED, the lower bound.",
    )

    @property
    def stem(self) -> str:
        """The default name of its file."""
        return _STEMS[self.x, self.y]

    def defaults(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that follow from the spec. Raises an error for a bound on another kind of regret."""
        found = super().defaults(spec)
        for place, bound in enumerate(self.bounds):
            if (kind := REGRET_BOUNDED[bound]) != found["regret"]:
                raise mistake(
                    f"{bound} bounds {kind} regret, but the figure shows {found['regret']} regret: "
                    f"remove it, or show 'regret: {kind}'",
                    *("bounds", place),
                )
        return found

    def curves(self, results: Results) -> Curves:
        """Return mean regret and its band against t: one panel per dataset.

        A note in a panel names what cannot be shown: algorithms without results, algorithms without regret on a log
        axis, and infinite bounds. Raises UserError if the runs did not record this kind of regret, or a bound was not
        computed.
        """
        kind = results.regret_kind(self.regret)
        shown, panels, titles = results.shown_algorithms(self), results.shown_panels(self), results.titles
        styles = line_styles(results.spec.algorithms, self)
        constants: dict[str, list[float]] = {
            name: [results.bound(dataset, name) for dataset, _ in panels] for name in self.bounds
        }
        together = _coinciding(constants)
        changes = {each.label: each.changes for each in results.spec.datasets}
        first, last = self.span
        within = [each for each in results.checkpoints if first <= each <= last]
        t = within or results.checkpoints  # no results: none are within the limits
        runs = set[int]()
        found = []
        for index, (dataset, title) in enumerate(panels):
            rows = {label: results.series(dataset, label, kind) for label in shown}
            rows = {label: each[each["t"].between(first, last)] for label, each in rows.items()}
            runs |= {int(count) for each in rows.values() for count in each["runs"]}
            bottom, top = _vertical_range(self.y, [*rows.values()])
            curves = [_curve(self, titles[label], styles[label], each, bottom) for label, each in rows.items()]
            lines = [
                _bound(" = ".join(names), names[0], constants[names[0]][index], t, self.y)
                for names in together
                if math.isfinite(constants[names[0]][index])
            ]
            infinite = [name for name in self.bounds if math.isinf(constants[name][index])]
            x, y = self.axes(
                results.counted,
                f"cumulative {in_prose(kind)} regret",
                _horizontal_range(self.x, t),
                (bottom, top),
            )
            note = _note(rows, self.y, infinite, titles)
            found.append(Panel(title, curves, x, y, lines, note, changes.get(dataset) or ()))
        return Curves(found, _BANDS[self.band], runs)


def _note(curves: Mapping[str, pd.DataFrame], scale: Scale, infinite: Sequence[str], titles: Mapping[str, str]) -> str:
    empty = [titles[label] for label, rows in curves.items() if rows.empty]
    without = [
        titles[label] for label, rows in curves.items() if scale == "log" and len(rows) and not (rows["mean"] > 0).any()
    ]
    notes = [absent("no results", empty, len(curves)), absent("no regret", without, len(curves))]
    return "; ".join(filter(None, [*notes, f"infinite: {', '.join(infinite)}" if infinite else ""]))


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


def _curve(figure: RegretFigure, title: str, style: Mapping[str, object], rows: pd.DataFrame, bottom: float) -> Curve:
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
