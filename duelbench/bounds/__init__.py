"""Asymptotic constants of regret per unit of log T: lower bounds, and bounds of some algorithms."""

from duelbench.bounds.constants import (
    BOUNDS,
    Bound,
    ccb_bound_constant,
    ecw_bound_constant,
    lower_bound_constant,
    rmed_bound_constant,
)

__all__ = [
    "BOUNDS",
    "Bound",
    "ccb_bound_constant",
    "ecw_bound_constant",
    "lower_bound_constant",
    "rmed_bound_constant",
]
