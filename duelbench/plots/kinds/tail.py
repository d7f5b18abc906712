"""The share of runs whose regret is larger than x, against x: how bad the worst runs are.

The tail of good algorithms is heavy: Fan and Glynn, The fragility of optimized bandit algorithms, Operations Research
2024.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from duelbench.plots.content import Curve, Curves, Panel, absent, in_prose
from duelbench.plots.curves import CurvesFigure
from duelbench.plots.style import line_styles
from duelbench.spec.figures import RoundFigure, Scale

if TYPE_CHECKING:
    from duelbench.results.results import Results

_POINTS = 400
"""Maximum number of steps of a curve; the steps at the largest regrets are all drawn."""


class TailFigure(CurvesFigure, RoundFigure):
    """The share of runs whose regret is larger than x, against x: one panel per dataset."""

    named_at_ends: ClassVar[bool] = False

    kind: Literal["tail"] = Field(description="The distribution of the regret over runs, from the files of the runs.")
    x: Scale = Field("log", description="Scale of the regret.")
    y: Scale = Field("log", description="Scale of the share of runs.")

    def curves(self, results: Results) -> Curves:
        """Return the share of runs with more regret than x, by x.

        Raises UserError if the files of the runs are missing, or the runs did not record this kind of regret.
        """
        kind, at = results.regret_kind(self.regret), results.round_shown(self.at)
        shown, titles = results.shown_algorithms(self), results.titles
        styles = line_styles(results.spec.algorithms, self)
        found, counts = [], set[int]()
        for dataset, title in results.shown_panels(self):
            curves, missing = [], []
            for label in shown:
                regret = np.sort(results.regret_of_runs(dataset, label, kind, at))
                counts.add(len(regret))
                places = len(regret) - np.unique(np.geomspace(1, max(len(regret), 1), _POINTS).astype(int))[::-1]
                x = regret[places]
                kept = x > 0 if self.x == "log" else np.isfinite(x)
                x, share = x[kept], 1 - places[kept] / max(len(regret), 1)
                missing += [titles[label]] * (not len(x))
                curves.append(Curve(titles[label], styles[label], x, share))
            where = f"{in_prose(kind)} regret $x$ at {results.at(at)}"
            x_axis, y_axis = self.axes(where, "share of runs with more regret than $x$", (None, None), (None, 1.05))
            note = absent("no regret", missing, len(shown))
            found.append(Panel(title, curves, x_axis._replace(steps="steps-pre"), y_axis, note=note))
        return Curves(found, "", counts)
