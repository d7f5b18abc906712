"""Figures of an experiment. Most need only its ``manifest.json`` and ``summary.csv``; no duel is computed here."""
