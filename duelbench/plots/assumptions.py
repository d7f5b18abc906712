"""The sign § in figures: the algorithms whose assumptions a dataset of the figure does not meet, as in tables."""

from collections.abc import Collection, Iterable

from duelbench.analysis.tables.grid import UNMET
from duelbench.results.results import Results
from duelbench.spec.figure_options import AnyFigure, ScalingFigure


def unmet_titles(figure: AnyFigure, results: Results) -> frozenset[str]:
    """Return the titles of algorithms whose assumptions one of the datasets of a figure does not meet."""
    datasets = {label for label, _ in results.shown_panels(figure)}
    failing = {each.algorithm for each in results.unmet if each.dataset in datasets}
    varied = figure.against if isinstance(figure, ScalingFigure) else "budget"
    return frozenset(
        title
        for each in results.spec.algorithms
        if each.label in failing
        for title in (results.titles[each.label], each.called(varied))  # of all points that differ in ``varied`` only
    )


def titles_of(labels: Iterable[str], figure: AnyFigure, results: Results) -> list[str]:
    """Return the titles of algorithms, with the sign where it is due."""
    unmet = unmet_titles(figure, results)
    return [marked(results.titles[label], unmet) for label in labels]


def marked(title: str, unmet: Collection[str]) -> str:
    """Return a title, with the sign if it is one of ``unmet``."""
    return f"{title} {UNMET}" if title in unmet else title


def with_sign(caption: str, titles: Iterable[str]) -> str:
    """Return a caption that explains the sign if one of the titles has it."""
    explained = f"{UNMET}: a dataset does not meet its assumptions"
    return "; ".join(filter(None, (caption, explained))) if any(each.endswith(UNMET) for each in titles) else caption
