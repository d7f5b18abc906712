"""Algorithms at work on real comparisons."""
