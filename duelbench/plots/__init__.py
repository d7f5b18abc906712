"""Figures from an experiment's ``manifest.json`` and ``summary.csv`` alone; nothing here computes a duel."""

from duelbench.plots.figures import FORMATS, draw
from duelbench.spec.figures import Band, Scale

__all__ = ["FORMATS", "Band", "Scale", "draw"]
