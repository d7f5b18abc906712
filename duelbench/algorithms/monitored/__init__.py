"""Algorithms for non-stationary preferences: they watch for changes or discard old outcomes."""
