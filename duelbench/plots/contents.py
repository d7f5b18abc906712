"""The content of each kind of figure of curves."""

import math
from operator import itemgetter

from duelbench.errors import UserError
from duelbench.plots.assumptions import unmet_titles
from duelbench.plots.curves import Curves
from duelbench.plots.distributions import profile_curves, tail_curves
from duelbench.plots.identification import identification_curves
from duelbench.plots.regret_curves import regret_curves
from duelbench.plots.scaling import scaling_curves
from duelbench.results.results import Results
from duelbench.spec.figure_options import (
    CurvesFigure,
    IdentificationFigure,
    ProfileFigure,
    RegretFigure,
    ScalingFigure,
    TailFigure,
)


def curves_of(figure: CurvesFigure, results: Results) -> Curves:
    """Return the content of a figure of curves. Raises UserError if nothing is within the limits of an axis."""
    if figure.xlim or figure.ylim:
        _check_limits(figure, results)
    content = _content(figure, results)
    return content._replace(unmet=unmet_titles(figure, results))


def _check_limits(figure: CurvesFigure, results: Results) -> None:
    content = _content(figure.model_copy(update={"xlim": None, "ylim": None}), results)
    curves = [curve for panel in content.panels for curve in panel.curves if len(curve.x)]
    for name, limits, axis in (("xlim", figure.xlim, "x"), ("ylim", figure.ylim, "y")):
        low, high = (math.nan if end is None else end for end in limits or (None, None))
        ends = [(getattr(curve, axis).min(), getattr(curve, axis).max()) for curve in curves]
        if ends and all(last < low or first > high for first, last in ends):
            first, last = min(ends)[0], max(ends, key=itemgetter(1))[1]
            raise UserError(
                f"a figure has no data within its {name}, but from {first:g} to {last:g}: change it, or remove it",
                source=str(results.directory),
            )


def _content(figure: CurvesFigure, results: Results) -> Curves:
    match figure:
        case RegretFigure():
            return regret_curves(figure, results)
        case ScalingFigure():
            return scaling_curves(figure, results)
        case IdentificationFigure():
            return identification_curves(figure, results)
        case TailFigure():
            return tail_curves(figure, results)
        case ProfileFigure():
            return profile_curves(figure, results)
    raise AssertionError(figure)
