"""The content of figures before drawing: panels of curves or of bars, with their captions.

Specs import this module through the kinds of figures, so it must not import Matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats
from duelbench.markup import UNMET
from duelbench.spec.figures import FigureEntry, Scale

if TYPE_CHECKING:
    from duelbench.results.results import Results

_MOST_IN_A_NOTE = 4
"""The note on missing curves names up to this many of them; for more, it gives their number."""


class Curve(NamedTuple):
    """Points in ascending order of x.

    ``ends`` are the lower and upper ends of a band around the curve; with ``bars``, or if there are few points, they
    are drawn as error bars. ``hollow`` marks the points that have hollow markers.
    """

    title: str
    style: Mapping[str, Any]
    x: Floats
    y: Floats
    ends: tuple[Floats, Floats] | None = None
    bars: bool = False
    hollow: Flags | None = None


class Axis(NamedTuple):
    """The label and the scale of an axis.

    ``ends`` are its limits; None means that they follow from the curves. ``numbers`` are the positions of its labels,
    if given. ``steps`` is the Matplotlib draw style of curves along this axis.
    """

    label: str
    scale: Scale
    ends: tuple[float | None, float | None] = (None, None)
    numbers: Sequence[float] = ()
    steps: Literal["default", "steps-pre", "steps-post"] = "default"


class Panel(NamedTuple):
    """Curves under a title.

    ``lines`` are the curves of bounds. ``note`` names the curves that cannot be shown. ``changes`` are the rounds in
    which preferences change.
    """

    title: str
    curves: list[Curve]
    x: Axis
    y: Axis
    lines: Sequence[Curve] = ()
    note: str = ""
    changes: tuple[int, ...] = ()


class Curves(NamedTuple):
    """The content of a figure of curves.

    The caption consists of the ``statistic``, the numbers of ``runs`` and a ``remark``. ``unmet`` are the titles of
    algorithms whose assumptions some dataset does not meet.
    """

    panels: list[Panel]
    statistic: str
    runs: set[int]
    remark: str = ""
    unmet: frozenset[str] = frozenset()

    @property
    def caption(self) -> str:
        """The caption of the legend."""
        titles = (marked(curve.title, self.unmet) for panel in self.panels for curve in panel.curves)
        caption = "; ".join(filter(None, (runs_shown(self.statistic, self.runs), self.remark)))
        return with_sign(caption, titles)


class Bar(NamedTuple):
    """The length of a bar, the text at its end, and the ends of its error bar, NaN if they are unknown."""

    length: float
    text: str
    low: float = math.nan
    high: float = math.nan


class BarPanels(NamedTuple):
    """The names of the bars, the panels as (title, bars), the label of the horizontal axes, and the caption."""

    names: list[str]
    panels: list[tuple[str, list[Bar]]]
    horizontal: str
    caption: str


def in_prose(kind: str) -> str:
    """Return a kind of regret as prose: ``binary-weak`` as "binary weak", ``copeland`` as "Copeland"."""
    names = {"borda", "condorcet", "copeland"}
    return " ".join(word.capitalize() if word in names else word for word in kind.split("-"))


def runs_shown(what: str, runs: set[int]) -> str:
    """Return a caption such as "mean ± standard error, 100 runs"; a single run has no statistics."""
    counts = runs - {0}
    if max(counts, default=0) <= 1:
        return "1 run" if counts else "no results"
    number = f"{max(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"
    return f"{what}, {number} runs" if what else f"{number} runs"


def absent(reason: str, titles: Sequence[str], of: int) -> str:
    """Return a note on the missing curves of a panel, with their titles if there are few; empty if none is missing."""
    if not titles or len(titles) == of:
        return reason if titles else ""
    return f"{reason}: {', '.join(titles) if len(titles) <= _MOST_IN_A_NOTE else f'{len(titles)} of {of}'}"


def values_at(figure: FigureEntry, results: Results, column: str, kind: str, at: int) -> Floats:
    """Return a column of the summary at a round, shape (datasets, algorithms); missing values are NaN."""
    algorithms = results.shown_algorithms(figure)
    cells = [
        [results.value(column, dataset, label, kind, at) for label in algorithms]
        for dataset, _ in results.shown_panels(figure)
    ]
    return np.array([[math.nan if cell is None else cell for cell in line] for line in cells])


def runs_at(figure: FigureEntry, results: Results, kind: str, at: int) -> set[int]:
    """Return the set of numbers of runs of all series of a figure at a round."""
    return {int(runs) for runs in np.nan_to_num(values_at(figure, results, "runs", kind, at)).flat}


def unmet_titles(figure: FigureEntry, results: Results) -> frozenset[str]:
    """Return the titles of the algorithms whose assumptions some dataset of a figure does not meet.

    Figures mark them with a sign, as tables do.
    """
    datasets = {label for label, _ in results.shown_panels(figure)}
    failing = {each.algorithm for each in results.unmet if each.dataset in datasets}
    varied = getattr(figure, "against", "budget")  # a curve, or a row of a table, covers all its values
    return frozenset(
        title
        for each in results.spec.algorithms
        if each.label in failing
        for title in (results.titles[each.label], each.called(varied))
    )


def titles_of(figure: FigureEntry, results: Results) -> list[str]:
    """Return the titles of the algorithms of a figure, marked with the sign if assumptions are unmet."""
    unmet = unmet_titles(figure, results)
    return [marked(results.titles[label], unmet) for label in results.shown_algorithms(figure)]


def marked(title: str, unmet: Collection[str]) -> str:
    """Return a title, with the sign if it is in ``unmet``."""
    return f"{title} {UNMET}" if title in unmet else title


def with_sign(caption: str, titles: Iterable[str]) -> str:
    """Return a caption that explains the sign if one of the titles has it."""
    explained = f"{UNMET}: a dataset does not meet its assumptions"
    return "; ".join(filter(None, (caption, explained))) if any(each.endswith(UNMET) for each in titles) else caption
