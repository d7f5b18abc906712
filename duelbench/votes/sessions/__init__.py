"""Sessions run an algorithm on real comparisons."""
