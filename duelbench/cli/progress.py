"""Progress: a bar on a terminal, otherwise occasional lines, as for the log of a job."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tqdm import tqdm

from duelbench.cli.terminal import one_line, say

FIRST = 30.0
"""Seconds before the first line."""
MORE = 1.5
"""Ratio of the times of successive lines, which are at most half an hour apart: an hour has about ten lines."""
SELDOM = 1800.0
BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"


class Progress:
    """A context manager that shows how many ``unit`` of a total are done.

    ``bar``: whether to show a bar; by default if standard error is a terminal. ``clock`` returns the time in seconds.
    """

    def __init__(
        self,
        total: int,
        unit: str = "rounds",
        *,
        bar: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        shown = sys.stderr.isatty() if bar is None else bar
        self._bar = tqdm(
            total=total, unit=unit.removesuffix("s"), unit_scale=True, disable=not shown, leave=False, bar_format=BAR
        )
        self._lines, self._clock, self._unit = not shown, clock, unit
        self._began = clock()
        self._said = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.close()

    def show(self, done: int, total: int, left: float = math.nan) -> None:
        """Show ``done`` of ``total``, which may have grown; the rest may take ``left`` seconds."""
        to_go = "" if math.isnan(left) else f", about {_time(left)} to go"
        if self._lines:
            self._line(done, total, to_go)
        else:
            self._bar.total = total
            self._bar.set_postfix_str(to_go.removeprefix(", "), refresh=False)
            self._bar.update(done - self._bar.n)

    def _line(self, done: int, total: int, to_go: str) -> None:
        took = self._clock() - self._began
        if took < max(FIRST, min(self._said * MORE, self._said + SELDOM)) or done >= total:
            return
        self._said = took
        say(f"{done / total:4.0%} of {total:,} {self._unit} after {_time(took)}{to_go}", err=True)


def announce(line: str) -> None:
    """Print a line for the user above the bar."""
    tqdm.write(one_line(line), sys.stderr)


def _time(seconds: float) -> str:
    """Return a duration in a suitable unit."""
    for size, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} s"
