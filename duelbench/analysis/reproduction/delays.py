"""Measures of the effect of delayed feedback on regret."""

from __future__ import annotations

from duelbench.analysis.reproduction.estimates import Mean, below, inside, ratio, together
from duelbench.analysis.reproduction.measures import Finding, Library, Measure


def under_delay(library: Library, name: str, label: str, delay: int, dataset: str) -> Mean:
    """Return the regret with a delay as a multiple of the regret without."""
    late, soon = (library.mean(name, label, f"{dataset}-delay={each}") for each in (delay, 1))
    return ratio(late, soon)


def robust(name: str, label: str, delays: tuple[int, ...], within: float, dataset: str) -> Measure:
    """The regret with each of the delays is at most ``within`` times the regret without."""

    def measure(library: Library) -> Finding:
        found = {delay: under_delay(library, name, label, delay, dataset) for delay in delays}
        words = ", ".join(f"{each.with_interval} at delay {delay:,}" for delay, each in found.items())
        verdicts = [inside(each, 0.0, within) for each in found.values()]
        return Finding(f"regret is {words} of that without; agreement is up to {within:g}", together(verdicts))

    return measure


def hardier(name: str, label: str, other: str, delay: int, factor: float, dataset: str) -> Measure:
    """The factor by which a delay multiplies the regret of ``label`` is at most ``factor`` times that of ``other``."""

    def measure(library: Library) -> Finding:
        own, theirs = (under_delay(library, name, each, delay, dataset) for each in (label, other))
        words = f"a delay of {delay:,} multiplies regret by {own.with_interval}, that of {other} by "
        words += f"{theirs.with_interval}; agreement is below {factor:g} of theirs"
        return Finding(words, below(own, theirs, factor))

    return measure
