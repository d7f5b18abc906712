"""Bars of the standard deviation of regret, a measure of risk, as in the D-TS paper (Wu and Liu 2016)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from duelbench.plots.content import Bar, BarPanels, in_prose, runs_at, runs_shown, titles_of
from duelbench.spec.figures import RoundFigure
from duelbench.spec.titles import round_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from duelbench.results.results import Results


class StdFigure(RoundFigure):
    """Standard deviation of the regret over runs: one panel per dataset, one bar per algorithm."""

    kind: Literal["std"] = Field(description="Bars of the regret's standard deviation over runs.")
    normalize_by: str | None = Field(
        None, description="The label of an algorithm; bars are then percentages of its mean regret."
    )

    def draw(self, results: Results) -> Figure:
        """Return the figure of these results; the text of a bar without a value gives the reason.

        Raises UserError if nothing was recorded at ``at``, or the runs did not record this kind of regret.
        """
        from duelbench.plots.panels import bars_figure

        kind = results.regret_kind(self.regret)
        at = results.round_shown(self.at)
        base = self.normalize_by
        panels = [
            (title, [_bar(results, dataset, label, kind, at, base) for label in results.shown_algorithms(self)])
            for dataset, title in results.shown_panels(self)
        ]
        unit = f" (% of the mean regret of {results.titles[base]})" if base else ""
        runs = runs_at(self, results, kind, at)
        caption = runs_shown("± standard error" if max(runs) > 1 else "", runs)
        horizontal = f"standard deviation of {in_prose(kind)} regret at $t$ = {round_number(at)}{unit}"
        return bars_figure(self, BarPanels(titles_of(self, results), panels, horizontal, caption))


def _bar(results: Results, dataset: str, label: str, kind: str, at: int, base: str | None) -> Bar:
    """Return a bar with its value as text and its standard error, or with the reason why it has no value.

    The standard error of a standard deviation s over n runs with kurtosis κ is s √((κ − 1) / n) / 2 to first order in
    1/n.
    """
    std = results.value("std", dataset, label, kind, at)
    if std is None:
        return Bar(0.0, "no results")
    if math.isnan(std):
        return Bar(0.0, "1 run")
    kurtosis, runs = (results.value(name, dataset, label, kind, at) or math.nan for name in ("kurtosis", "runs"))
    error = std * math.sqrt(max(kurtosis - 1, 0) / runs) / 2
    if base is None:
        return Bar(std, f"{std:.0f}" if std >= 100 else f"{std:.3g}", std - error, std + error)
    mean = results.value("mean", dataset, base, kind, at)
    if not mean:
        name = results.titles[base]
        return Bar(0.0, f"no results of {name}" if mean is None else f"{name} has no regret")
    low, percent, high = (100 * each / mean for each in (std - error, std, std + error))
    return Bar(percent, f"{percent:.1f}", low, high)
