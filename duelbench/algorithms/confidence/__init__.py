"""Confidence bounds on the preferences choose the duel."""
