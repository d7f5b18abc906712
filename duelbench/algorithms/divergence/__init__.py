"""Empirical divergences against their lower bounds: the RMED family."""
