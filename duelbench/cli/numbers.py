"""Numbers on the command line."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import click

from duelbench.arguments import LARGEST


class WholeRange(click.IntRange):
    """A whole number within bounds, which may be written as ``1e3``, as in a spec."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; fails with a sentence if the value is not one."""
        for kind in (int, float):
            with contextlib.suppress(ValueError):  # click reports what is neither
                number = kind(value)
                if abs(number) > LARGEST:
                    most = LARGEST if self.max is None else self.max
                    self.fail(f"the number is out of range: write one from {self.min or 0:,} to {most:,}", param, ctx)
                value = int(number) if number == number // 1 else value
                break
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
