"""The content of figures of distributions: of the regret over runs (tail), and over datasets (profile).

The tail of good algorithms is heavy: Fan and Glynn, The fragility of optimized bandit algorithms, Operations Research
2024. Performance profiles: Dolan and Moré, Benchmarking optimization software, Mathematical Programming 91, 2002.
"""

import math

import numpy as np

from duelbench.errors import UserError
from duelbench.plots.curves import Curve, Curves, Panel, axes_of
from duelbench.plots.labels import in_prose
from duelbench.plots.panels import absent
from duelbench.plots.style import line_styles
from duelbench.results.results import Results
from duelbench.spec.figure_options import ProfileFigure, TailFigure

_POINTS = 400
"""Steps of a curve of many runs; the largest regrets have all of theirs."""


def tail_curves(figure: TailFigure, results: Results) -> Curves:
    """Return the share of runs with more regret than x, against x: one panel per dataset.

    Raises UserError when the files of the runs are missing, or the runs did not record this kind of regret.
    """
    kind, at = results.regret_kind(figure.regret), results.round_shown(figure.at)
    shown, titles = results.shown_algorithms(figure), results.titles
    styles = line_styles(results.spec.algorithms, figure)
    found, counts = [], set[int]()
    for dataset, title in results.shown_panels(figure):
        curves, missing = [], []
        for label in shown:
            regret = np.sort(results.regret_of_runs(dataset, label, kind, at))
            counts.add(len(regret))
            places = len(regret) - np.unique(np.geomspace(1, max(len(regret), 1), _POINTS).astype(int))[::-1]
            x = regret[places]
            kept = x > 0 if figure.x == "log" else np.isfinite(x)
            x, share = x[kept], 1 - places[kept] / max(len(regret), 1)
            missing += [titles[label]] * (not len(x))
            curves.append(Curve(titles[label], styles[label], x, share))
        where = f"{in_prose(kind)} regret $x$ at {results.at(at)}"
        x_axis, y_axis = axes_of(figure, where, "share of runs with more regret than $x$", (None, None), (None, 1.05))
        note = absent("no regret", missing, len(shown)) if missing else ""
        found.append(Panel(title, curves, x_axis._replace(steps="steps-pre"), y_axis, note=note))
    return Curves(found, "", counts)


def profile_curves(figure: ProfileFigure, results: Results) -> Curves:
    """Return the share of datasets on which the mean regret is at most τ times the best, against τ.

    Raises UserError when there are fewer than two datasets, a mean regret is negative, or the results do not have the
    regret or the round.
    """
    kind, at = results.regret_kind(figure.regret), results.round_shown(figure.at)
    shown, datasets = results.shown_algorithms(figure), results.shown_panels(figure)
    cells = [[results.value("mean", dataset, label, kind, at) for label in shown] for dataset, _ in datasets]
    means = np.array([[math.inf if cell is None else cell for cell in line] for line in cells])
    if len(datasets) < 2 or (means < 0).any():
        raise UserError(
            "a figure of profiles needs two datasets, and regret that is not negative: remove it, or change its "
            "`datasets` and `regret`",
            source=str(results.directory),
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        best = means.min(axis=1, keepdims=True)
        multiples = np.where(np.isinf(means), math.inf, np.where(means == best, 1.0, means / best))
    farthest = 1.05 * float(multiples[np.isfinite(multiples)].max(initial=1.0))
    styles = line_styles(results.spec.algorithms, figure)
    curves = []
    for label, each in zip(shown, multiples.T, strict=True):
        x = np.unique([1.0, *each[np.isfinite(each)], farthest])
        share = (each <= x[:, None]).mean(axis=1)
        curves.append(Curve(results.titles[label], styles[label], x, share))
    what = f"{in_prose(kind)} regret at {results.at(at)}"
    labels = f"{what} as a multiple $\\tau$ of the best", "share of datasets within $\\tau$"
    x_axis, y_axis = axes_of(figure, *labels, (1.0, farthest), (0, 1.02))
    runs = {int(results.value("runs", dataset, label, kind, at) or 0) for dataset, _ in datasets for label in shown}
    panel = Panel("", curves, x_axis._replace(steps="steps-post"), y_axis)
    return Curves([panel], f"{len(datasets)} datasets", runs)
