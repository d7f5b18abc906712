"""Figures, drawn from an experiment's ``manifest.json`` and ``summary.csv`` alone: no duel is computed here."""

from duelbench.plots.drawing import FORMATS, draw
from duelbench.spec.figure_options import Band, Scale

__all__ = ["FORMATS", "Band", "Scale", "draw"]
