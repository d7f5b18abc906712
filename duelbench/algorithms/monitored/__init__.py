"""Algorithms for preferences that may change: they watch for it, or never trust what is old."""
