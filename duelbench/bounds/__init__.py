"""Asymptotic constants: what the best algorithm, and ECW-RMED, must pay per unit of log T."""

from duelbench.bounds.constants import ecw_bound_constant, lower_bound_constant

__all__ = ["ecw_bound_constant", "lower_bound_constant"]
