"""Algorithms for non-stationary preferences: they monitor changes, or discard old outcomes."""
