"""What the papers state in numbers or words about their experiments, a module per paper.

The statements are paraphrased. Where a paper says "comparable" or "almost the same" the factor that we let pass stands
in the measure. ``otherwise`` explains a disagreement, and is printed only when there is one.
"""

from __future__ import annotations

from typing import NamedTuple

from duelbench.analysis.reproduction.measures import Measure


class Statement(NamedTuple):
    """A statement of a paper about one of its figures."""

    text: str
    measure: Measure
    otherwise: str = ""


class Figure(NamedTuple):
    """A figure or table of a paper: the name of its results, and what is stated about it.

    The name is empty where the statements are about several.
    """

    name: str
    title: str
    statements: tuple[Statement, ...]


class Paper(NamedTuple):
    """A paper, its figures, and what has to be known of how we read it, printed whatever the verdicts are."""

    citation: str
    figures: tuple[Figure, ...]
    note: str = ""
