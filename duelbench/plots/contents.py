"""The content of each kind of figure of curves."""

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
    """Return the content of a figure of curves."""
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
