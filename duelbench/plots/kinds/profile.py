"""A performance profile: the share of datasets on which the regret is at most τ times the best, against τ.

Dolan and Moré, Benchmarking optimization software with performance profiles, Mathematical Programming 91, 2002.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from duelbench.errors import UserError
from duelbench.plots.content import Curve, Curves, Panel, in_prose, runs_at, values_at
from duelbench.plots.curves import CurvesFigure
from duelbench.plots.style import line_styles
from duelbench.spec.figures import RoundFigure, Scale

if TYPE_CHECKING:
    from duelbench.results.results import Results


class ProfileFigure(CurvesFigure, RoundFigure):
    """The share of datasets on which the regret is at most τ times the best, against τ."""

    named_at_ends: ClassVar[bool] = False

    kind: Literal["profile"] = Field(description="The share of datasets on which the regret is near the best.")
    x: Scale = Field("log", description="Scale of the multiples τ of the best regret.")
    y: Scale = Field("linear", description="Scale of the share of datasets.")

    def curves(self, results: Results) -> Curves:
        """Return the share of datasets on which the mean regret is at most τ times the best, by τ.

        Raises UserError if there are fewer than two datasets, a mean regret is negative, or the results lack the regret
        or the round.
        """
        kind, at = results.regret_kind(self.regret), results.round_shown(self.at)
        means = values_at(self, results, "mean", kind, at)
        means[np.isnan(means)] = math.inf
        if len(means) < 2 or (means < 0).any():
            raise UserError(
                "a figure of profiles needs two datasets, and regret that is not negative: remove it, or change its "
                "`datasets` and `regret`",
                source=str(results.directory),
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            best = means.min(axis=1, keepdims=True)
            multiples = np.where(np.isinf(means), math.inf, np.where(means == best, 1.0, means / best))
        farthest = 1.05 * float(multiples[np.isfinite(multiples)].max(initial=1.0))
        styles = line_styles(results.spec.algorithms, self)
        curves = []
        for label, each in zip(results.shown_algorithms(self), multiples.T, strict=True):
            x = np.unique([1.0, *each[np.isfinite(each)], farthest])
            share = (each <= x[:, None]).mean(axis=1)
            curves.append(Curve(results.titles[label], styles[label], x, share))
        what = f"{in_prose(kind)} regret at {results.at(at)}"
        labels = f"{what} as a multiple $\\tau$ of the best", "share of datasets within $\\tau$"
        x_axis, y_axis = self.axes(*labels, (1.0, farthest), (0, 1.02))
        panel = Panel("", curves, x_axis._replace(steps="steps-post"), y_axis)
        return Curves([panel], f"{len(means)} datasets", runs_at(self, results, kind, at))
