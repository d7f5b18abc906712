"""Measures of the constants of bounds: on the dataset of a figure, and as means over random matrices."""

from __future__ import annotations

import math

from duelbench.analysis.reproduction.estimates import Mean, inside, number, ratio
from duelbench.analysis.reproduction.measures import Finding, Library, Measure, NotRunError


def bounds_ratio(name: str, smallest: float, largest: float) -> Measure:
    """The ratio LB/ECWB is within an interval."""

    def measure(library: Library) -> Finding:
        low, high = library.constant(name, "LB"), library.constant(name, "ECWB")
        found = low / high if high else math.nan
        words = (
            f"LB {number(low)}, ECWB {number(high)}; ratio {number(found)}, agreement is in {smallest:g}–{largest:g}"
        )
        return Finding(words, smallest <= found <= largest * (1 + 1e-9))  # allows for rounding

    return measure


def table_value(name: str, bound: str, stated: float, rounding: float) -> Measure:
    """A constant in a table equals the stated one, up to its rounding and the standard errors of both.

    ``rounding``: half a unit of the last digit. The paper has as many matrices as we, from the same distribution.
    """

    def measure(library: Library) -> Finding:
        table = library.table(name)
        if bound not in table:
            raise NotRunError(name)
        mean = table[bound]
        error = rounding + Mean(0.0, math.hypot(mean.sem, mean.sem)).ends[1]
        words = f"{mean}; agreement is in {number(stated - error)}–{number(stated + error)}"
        return Finding(words, abs(mean.value - stated) <= error)

    return measure


def table_ratio(name: str, bound: str, base: str, smallest: float, largest: float) -> Measure:
    """The quotient of two constants in a table is within an interval."""

    def measure(library: Library) -> Finding:
        table = library.table(name)
        if not {bound, base} <= table.keys():
            raise NotRunError(name)
        found = ratio(table[bound], table[base])
        words = f"ratio {found.with_interval}; agreement is in {number(smallest)}–{number(largest)}"
        return Finding(words, inside(found, smallest, largest))

    return measure
