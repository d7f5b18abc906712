"""Figures, drawn from an experiment's ``manifest.json`` and ``summary.csv`` alone: no duel is computed here."""
