"""Statements of papers about their experiments, in numbers or words, with a module for each paper.

Statements are paraphrased. If a paper says "comparable" or "almost the same", the measure has the factor that we
accept. ``otherwise`` is printed if they disagree, or if it is undecided whether they do: it says why.
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
    """A figure or table of a paper: the name of its results, and the statements about it.

    The name is empty if the statements are about several figures.
    """

    name: str
    title: str
    statements: tuple[Statement, ...]


class Paper(NamedTuple):
    """A paper, its figures, and a note on how we read it, which is always printed."""

    citation: str
    figures: tuple[Figure, ...]
    note: str = ""
