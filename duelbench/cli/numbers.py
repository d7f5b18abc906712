"""Numbers on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class WholeRange(click.IntRange):
    """A whole number within bounds, which may be written as ``1e3``, as in a spec."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; fails with a sentence if the value is not one."""
        if isinstance(value, str) and not value.strip().lstrip("+-").isdigit():
            try:
                number = float(value)
            except ValueError:
                number = math.nan  # click reports it
            value = int(number) if number.is_integer() else value
        whole: int = super().convert(value, param, ctx)
        return whole


class FiniteRange(click.FloatRange):
    """A number within bounds. click accepts ``nan`` within any bounds, since it is neither below nor above them."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; fails with a sentence if the value is not one."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number
