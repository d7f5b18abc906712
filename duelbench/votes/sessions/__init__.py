"""Sessions: algorithms that run on real comparisons."""
