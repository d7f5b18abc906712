"""The RMED family: algorithms that compare empirical divergences with their lower bounds."""
