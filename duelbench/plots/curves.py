"""The base class of figures with curves. Specs import this module, so it must not import Matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import model_validator

from duelbench.errors import UserError
from duelbench.plots.content import Axis, Curves, unmet_titles
from duelbench.spec.figures import FigureEntry, Limits, Look, Scale
from duelbench.spec.validation import mistake

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from duelbench.results.results import Results


class CurvesFigure(Look, FigureEntry):
    """A figure of curves. A kind defines ``curves``, the fields ``x`` and ``y``, and optionally the class variables.

    ``against_rounds``: the horizontal axis shows rounds or votes, so the limits at the top of a spec apply.
    ``named_at_ends``: many curves are named at their ends by default.
    """

    against_rounds: ClassVar[bool] = False
    named_at_ends: ClassVar[bool] = True

    x: Scale
    y: Scale

    @property
    def has_curves(self) -> bool:
        """Whether the figure shows curves."""
        return True

    def curves(self, results: Results) -> Curves:
        """Return the panels with their curves. Raises UserError if the results lack the data."""
        raise NotImplementedError

    def defaults(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that follow from the spec, including the look."""
        found = super().defaults(spec)
        if self.has_curves:
            found |= {name: spec.get(name, {}) | getattr(self, name) for name in ("colors", "styles")}
            if self.against_rounds:
                found |= {name: getattr(self, name) or spec.get(name) for name in ("xlim", "ylim")}
        return found

    def content(self, results: Results) -> Curves:
        """Return the content of the figure. Raises as ``curves``, and UserError if nothing is within the limits."""
        if self.xlim or self.ylim:
            self._check_limits(results)
        return self.curves(results)._replace(unmet=unmet_titles(self, results))

    def draw(self, results: Results) -> Figure:
        """Return the figure of these results."""
        from duelbench.plots.panels import curves_figure

        return curves_figure(self, self.content(results))

    def _check_limits(self, results: Results) -> None:
        whole = self.model_copy(update={"xlim": None, "ylim": None}).curves(results)
        curves = [curve for panel in whole.panels for curve in panel.curves if len(curve.x)]
        for name, limits, axis in (("xlim", self.xlim, "x"), ("ylim", self.ylim, "y")):
            low, high = (math.nan if end is None else end for end in limits or (None, None))
            ends = [(getattr(curve, axis).min(), getattr(curve, axis).max()) for curve in curves]
            if ends and all(last < low or first > high for first, last in ends):
                first, last = min(ends)[0], max(ends, key=itemgetter(1))[1]
                raise UserError(
                    f"a figure has no data within its {name}, but from {first:g} to {last:g}: change it, or remove it",
                    source=str(results.directory),
                )

    @model_validator(mode="after")
    def _positive(self) -> Self:
        for name, scale, limits in (("xlim", self.x, self.xlim), ("ylim", self.y, self.ylim)):
            if scale == "log" and any(end is not None and end <= 0 for end in limits or ()):
                raise mistake(
                    f"{name!r} must be positive on a logarithmic axis: write null, or '{name[0]}: linear'", name
                )
        return self

    @property
    def span(self) -> tuple[float, float]:
        """The ends of ``xlim``; missing ends are infinite."""
        low, high = self.xlim or (None, None)
        return -math.inf if low is None else low, math.inf if high is None else high

    def axes(
        self, horizontal: str, vertical: str, x: tuple[float | None, ...], y: tuple[float | None, ...]
    ) -> tuple[Axis, Axis]:
        """Return the axes of a panel; labels and ends in the spec take precedence if the scale allows them."""

        def axis(
            label: str | None, default: str, scale: Scale, given: Limits | None, ends: tuple[float | None, ...]
        ) -> Axis:
            usable = [None if end is None or (end <= 0 and scale == "log") else end for end in given or (None, None)]
            low, high = (each if own is None else own for own, each in zip(usable, ends, strict=True))
            return Axis(default if label is None else label, scale, (low, high))

        return (
            axis(self.xlabel, horizontal, self.x, self.xlim, x),
            axis(self.ylabel, vertical, self.y, self.ylim, y),
        )
