"""Numbers rounded to what is known of them: the error to two significant digits, the number to the same place."""

from __future__ import annotations

import math
from decimal import Decimal

DIGITS = 2
WITHOUT_ERROR = 4
"""Significant digits of a number of whose error nothing is known."""


def to_the_error(*numbers: float, error: float) -> list[str]:
    """Return numbers, in the decimal system and without exponents, as precise as their ``error`` says.

    The error itself may be among them. Where it is 0 they are written in full, where it is NaN to four digits.
    """
    if error == 0:
        return [f"{Decimal(repr(number)):f}".removesuffix(".0") for number in numbers]
    if math.isnan(error):
        return [_at(number, _place(number, WITHOUT_ERROR)) for number in numbers]
    return [_at(number, _place(error, DIGITS)) for number in numbers]


def _place(number: float, digits: int) -> int:
    """Return the power of ten of the last of so many significant digits, once the number is rounded to them."""
    return int(f"{number:.{digits - 1}e}".partition("e")[2]) - digits + 1


def _at(number: float, place: int) -> str:
    said = f"{Decimal(repr(number)).quantize(Decimal(1).scaleb(place)):f}"
    return said.removeprefix("-") if float(said) == 0 else said


def grouped(number: str, separator: str) -> str:
    """Put a separator between the thousands before the point, from 1,000 on."""
    sign = "-" if number.startswith("-") else ""
    whole, point, rest = number.removeprefix("-").partition(".")
    return sign + f"{int(whole):,}".replace(",", separator) + point + rest
