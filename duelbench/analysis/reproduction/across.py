"""Measures for statements about several figures."""

from __future__ import annotations

from collections.abc import Mapping

from duelbench.analysis.reproduction.estimates import Mean, below, number, ratio, together
from duelbench.analysis.reproduction.measures import Finding, Library, Measure


def lower_on(count: int, label: str, other: str, figures: Mapping[str, str], factor: float = 1.0) -> Measure:
    """On exactly ``count`` of the figures the mean regret of ``label`` is below ``factor`` times that of ``other``.

    ``figures`` has the names of figures by title, each with one dataset.
    """

    def measure(library: Library) -> Finding:
        words, verdicts = [], []
        for title, name in figures.items():
            own, theirs = (library.mean(name, each, None) for each in (label, other))
            words.append(f"{title}: {own} against {theirs}")
            verdicts.append(below(own, theirs, factor))
        lowest, open_ = verdicts.count(True), verdicts.count(None)
        shown = f"{lowest} of {len(verdicts)}" + (f", {open_} undecided" if open_ else "")
        agrees = None if open_ and lowest <= count <= lowest + open_ else lowest == count
        return Finding(f"{'; '.join(words)}; {shown}", agrees)

    return measure


def degrades(label: str, base: str, easy: Mapping[str, str], hard: Mapping[str, str]) -> Measure:
    """The mean regret of ``label``, as a share of that of ``base``, is larger on each hard figure than on any easy one.

    ``easy`` and ``hard`` have the names of figures by title, each with one dataset.
    """

    def measure(library: Library) -> Finding:
        def shares(figures: Mapping[str, str]) -> dict[str, Mean]:
            return {
                title: ratio(library.mean(name, label, None), library.mean(name, base, None))
                for title, name in figures.items()
            }

        little, much = shares(easy), shares(hard)
        words = ", ".join(f"{title} {number(100 * each.value)} %" for title, each in (little | much).items())
        verdict = together([below(low, high) for low in little.values() for high in much.values()])
        return Finding(f"{label} in percent of {base}: {words}", verdict)

    return measure
