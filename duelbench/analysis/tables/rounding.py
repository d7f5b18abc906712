"""Rounding numbers to their precision: the error to two significant digits, the number to the same place."""

from __future__ import annotations

import math
from decimal import Decimal

DIGITS = 2
WITHOUT_ERROR = 4
"""Significant digits of a number whose error is unknown."""


def to_the_error(*numbers: float, error: float) -> list[str]:
    """Return numbers as decimals without exponents, rounded according to their ``error``.

    The error itself may be among them. If it is 0, numbers are written in full; if it is NaN, to four digits.
    """
    if error == 0:
        return [f"{Decimal(repr(number)):f}".removesuffix(".0") for number in numbers]
    if math.isnan(error):
        return [_at(number, _place(number, WITHOUT_ERROR)) for number in numbers]
    return [_at(number, _place(error, DIGITS)) for number in numbers]


def _place(number: float, digits: int) -> int:
    """Return the power of ten of the last digit of a number that is rounded to ``digits`` significant digits."""
    return int(f"{number:.{digits - 1}e}".partition("e")[2]) - digits + 1


def _at(number: float, place: int) -> str:
    text = f"{Decimal(repr(number)).quantize(Decimal(1).scaleb(place)):f}"
    return text.removeprefix("-") if float(text) == 0 else text


def grouped(number: str, separator: str) -> str:
    """Return a decimal number with a thousands separator before the point."""
    sign = "-" if number.startswith("-") else ""
    whole, point, rest = number.removeprefix("-").partition(".")
    return sign + f"{int(whole):,}".replace(",", separator) + point + rest
