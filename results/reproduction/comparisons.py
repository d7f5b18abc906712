"""Measures that compare algorithms: regret, its growth and its spread, and declarations."""

import math
from collections.abc import Mapping
from itertools import pairwise

from duelbench.markup import number
from duelbench.results.results import Results
from results.reproduction.estimates import (
    Finding,
    Mean,
    Quantity,
    below,
    difference,
    estimate,
    estimates,
    every_dataset,
    inside,
    not_right,
    ratio,
    together,
)


def _words(found: Mapping[str, Mean]) -> str:
    return "; ".join(f"{name} {mean}" for name, mean in found.items())


def lower(
    results: Results,
    algorithm: str,
    than: list[str],
    factor: float = 1.0,
    dataset: str | None = None,
    at: float | None = None,
    quantity: Quantity = "regret",
) -> Finding:
    """The mean is below ``factor`` times the mean of each other algorithm."""
    own, theirs = estimate(results, algorithm, dataset, at, quantity), estimates(results, than, dataset, at, quantity)
    verdicts = {each: below(own, mean, factor) for each, mean in theirs.items()}
    shown = theirs
    if len(theirs) > 3:  # the closest one, and all that disagree
        best = min(theirs, key=lambda each: theirs[each].value)
        shown = {each: mean for each, mean in theirs.items() if each == best or verdicts[each] is not True}
    agreement = f"; agreement is below {number(factor)} of theirs" if factor != 1 else ""
    return _words({algorithm: own, **shown}) + agreement, together(verdicts.values())


def ordered(results: Results, algorithms: list[str], dataset: str | None = None, at: float | None = None) -> Finding:
    """The mean regrets increase in this order."""
    means = estimates(results, algorithms, dataset, at)
    return _words(means), together(below(a, b) for a, b in pairwise(means.values()))


def groups(results: Results, algorithms: list[list[str]], within: float) -> Finding:
    """Mean regrets within each group are equal up to a factor, and those of later groups are below all earlier ones."""
    found = [estimates(results, group) for group in algorithms]
    means = [[*group.values()] for group in found]
    alike = [inside(ratio(max(group), min(group)), 0, within) for group in means]
    falling = [below(max(after), min(before)) for before, after in pairwise(means)]
    words = "; ".join(", ".join(f"{label} {mean}" for label, mean in group.items()) for group in found)
    return f"{words}; alike is up to a factor of {within:g}", together(alike + falling)


def lower_on(results: dict[str, Results], algorithm: str, than: str, count: int, factor: float = 1.0) -> Finding:
    """In exactly ``count`` experiments, the mean regret is below ``factor`` times the other algorithm's."""
    pairs = {title: [estimate(each, label) for label in (algorithm, than)] for title, each in results.items()}
    verdicts = [below(own, theirs, factor) for own, theirs in pairs.values()]
    lowest, undecided = verdicts.count(True), verdicts.count(None)
    words = "; ".join(f"{title}: {own} against {theirs}" for title, (own, theirs) in pairs.items())
    words += f"; {lowest} of {len(verdicts)}" + (f", {undecided} undecided" if undecided else "")
    return words, None if undecided and lowest <= count <= lowest + undecided else lowest == count


def degrades(results: dict[str, Results], algorithm: str, to: str, hard: list[str]) -> Finding:
    """The mean regret relative to the other algorithm's is larger on each hard experiment than on all others."""
    shares = {title: ratio(estimate(each, algorithm), estimate(each, to)) for title, each in results.items()}
    words = ", ".join(f"{title} {number(100 * each.value)} %" for title, each in shares.items())
    easy = shares.keys() - hard
    verdict = together(below(shares[low], shares[high]) for low in easy for high in hard)
    return f"{algorithm} in percent of {to}: {words}", verdict


def close(results: Results, algorithm: str, to: str, within: float) -> Finding:
    """The mean regrets differ by a factor of at most ``within``."""
    means = estimates(results, (algorithm, to))
    found = ratio(*means.values())
    words = f"{_words(means)}; ratio {found.with_interval}, agreement is up to {within:g}"
    return words, inside(found, 1 / within, within)


def close_everywhere(results: Results, algorithm: str, to: str, within: float) -> Finding:
    """On each dataset the mean regrets differ by a factor of at most ``within``."""
    found = {each: ratio(*estimates(results, (algorithm, to), each).values()) for each in every_dataset(results)}
    words = "; ".join(f"{each}: ratio {factor.with_interval}" for each, factor in found.items())
    agrees = together(inside(factor, 1 / within, within) for factor in found.values())
    return f"{words}; agreement is up to {within:g}", agrees


def near(results: Results, algorithm: str, to: str, axis: str, within: float, dataset: str | None = None) -> Finding:
    """The mean regrets differ by at most a share of the mean regret of ``axis``, the top of a linear axis."""
    first, second, top = (estimate(results, each, dataset) for each in (algorithm, to, axis))
    gap = difference(first, second)
    apart = ratio(Mean(abs(gap.value), gap.sem), top)
    words = (
        f"{algorithm} {first}; {to} {second}; {number(100 * apart.value)} ± {number(100 * apart.sem)} % of {axis}'s "
        f"{number(top.value)} apart, agreement is up to {100 * within:g} %; ratio {number(ratio(first, second).value)}"
    )
    return words, below(apart, Mean(within, 0))


def approaches(results: Results, algorithms: list[str], to: str, dataset: str) -> Finding:
    """The second mean regret exceeds that of ``to`` by less than half as much as the first does."""
    means = estimates(results, (*algorithms, to), dataset)
    first, last, goal = means.values()
    far, left = difference(first, goal), difference(last, goal)
    percent = number(100 * ratio(left, far).value)
    words = f"{_words(means)}; {percent} % of the distance is left, agreement is below 50 %"
    return words, below(left, far, 0.5)


def sooner(results: Results, algorithm: str, than: str, datasets: list[str] | None = None) -> Finding:
    """On each dataset the mean number of duels is smaller; all algorithms have the same matrices and random streams."""
    words, agrees = [], True
    for each in datasets or every_dataset(results):
        own, theirs = (estimate(results, label, each, quantity="duels").value for label in (algorithm, than))
        words.append(f"{each}: {number(own)} to {number(theirs)}")
        agrees &= own < theirs
    return "; ".join(words), agrees


def as_soon(results: Results, algorithm: str, to: str, within: float) -> Finding:
    """On each dataset the mean numbers of duels differ by a factor of at most ``within``."""
    words, agrees = [], True
    for each in every_dataset(results):
        found = ratio(*(estimate(results, label, each, quantity="duels") for label in (algorithm, to))).value
        words.append(f"{number(found)} ({each})")
        agrees &= 1 / within <= found <= within
    return f"ratio of duels {', '.join(words)}; agreement is up to {within:g}", agrees


def less_often_wrong(results: Results, algorithm: str, than: list[str], datasets: list[str] | None = None) -> Finding:
    """Over all datasets together, a smaller share of the runs fails to declare what is right."""
    shares = {each: not_right(results, each, datasets or every_dataset(results)) for each in (algorithm, *than)}
    words = "; ".join(f"{each} not right in {found.percent}" for each, found in shares.items())
    return words, together(below(shares[algorithm], shares[each]) for each in than)


def always_right(results: Results, algorithms: list[str], at_most: float, datasets: list[str] | None = None) -> Finding:
    """At most this share of all runs on the datasets fails to declare what is right."""
    shares = {each: not_right(results, each, datasets or every_dataset(results)) for each in algorithms}
    words = "; ".join(f"{each} {found.percent}" for each, found in shares.items())
    agrees = together(inside(each, -math.inf, at_most) for each in shares.values())
    return f"not right: {words}; agreement is up to {100 * at_most:g} %", agrees


def std_at_most(results: Results, algorithm: str, than: str, factor: float, dataset: str) -> Finding:
    """The standard deviation of the regret is at most ``factor`` times the other algorithm's."""
    spreads = estimates(results, (algorithm, than), dataset, None, "std")
    found = ratio(*spreads.values())
    words = f"{_words(spreads)}; quotient {found.with_interval}, agreement is up to {factor:g}"
    return words, inside(found, 0, factor)


# Regret over time, with the number of arms, and after a delay


def on_the_axis(results: Results, algorithms: list[str], top: float) -> Finding:
    """The mean regret is below ``top`` at every checkpoint."""
    highest = {each: max(estimate(results, each, at=t) for t in results.checkpoints) for each in algorithms}
    agrees = together(below(mean, Mean(top, 0)) for mean in highest.values())
    return f"at most {_words(highest)}; the axis ends at {number(top)}", agrees


def _last_decade(results: Results, algorithm: str) -> tuple[Mean, Mean]:
    """Return the regret at a tenth of the horizon and at the horizon."""
    horizon = max(results.spec.horizons)
    return estimate(results, algorithm, at=horizon / 10), estimate(results, algorithm, at=horizon)


def slope(results: Results, algorithm: str, to: str, within: float) -> Finding:
    """The regret that the last decade of rounds adds differs by a factor of at most ``within``."""
    ends = (_last_decade(results, each) for each in (algorithm, to))
    first, second = (difference(last, before) for before, last in ends)  # independent ends: the error is at most this
    found = ratio(first, second)
    words = f"last decade: {algorithm} +{first}, {to} +{second}; ratio {found.with_interval}"
    return f"{words}, agreement is up to {within:g}", inside(found, 1 / within, within)


def linear(results: Results, algorithm: str) -> Finding:
    """The regret grows at least eightfold over the last decade of rounds."""
    before, last = _last_decade(results, algorithm)
    growth = ratio(last, before)
    words = f"grows {growth.with_interval}-fold over the last decade; agreement is from 8 on"
    return words, inside(growth, 8, math.inf)


def grows(results: Results, algorithm: str, least: float = 0.0, most: float = math.inf) -> Finding:
    """From the first to the last dataset, the mean regret grows as a power of the arms within this interval."""
    ends = [results.spec.datasets[place] for place in (0, -1)]
    low, high = (estimate(results, algorithm, each.label) for each in ends)
    factor, scale = ratio(high, low), math.log(ends[1].arms / ends[0].arms)
    power = Mean(math.log(factor.value) / scale, factor.sem / factor.value / scale)
    words = f"K = {ends[0].arms}: {low}; K = {ends[1].arms}: {high}; as K to the power {power.with_interval}"
    bound = f"from {least:g} on" if least else f"up to {most:g}"
    return f"{words}, agreement is {bound}", inside(power, least, most)


def _under_delay(results: Results, algorithm: str, delay: int, dataset: str) -> Mean:
    """Return the regret with a delay as a multiple of the regret without."""
    return ratio(*(estimate(results, algorithm, f"{dataset}-delay={each}") for each in (delay, 1)))


def robust(results: Results, algorithm: str, delays: list[int], within: float, dataset: str) -> Finding:
    """The regret with each of the delays is at most ``within`` times the regret without."""
    found = {each: _under_delay(results, algorithm, each, dataset) for each in delays}
    words = ", ".join(f"{each.with_interval} at delay {delay:,}" for delay, each in found.items())
    agrees = together(inside(each, 0, within) for each in found.values())
    return f"regret is {words} of that without; agreement is up to {within:g}", agrees


def more_robust(results: Results, algorithm: str, than: str, delay: int, factor: float, dataset: str) -> Finding:
    """The factor by which a delay multiplies the regret is below ``factor`` times the other algorithm's."""
    own, theirs = (_under_delay(results, each, delay, dataset) for each in (algorithm, than))
    words = f"a delay of {delay:,} multiplies regret by {own.with_interval}, that of {than} by {theirs.with_interval}"
    return f"{words}; agreement is below {factor:g} of theirs", below(own, theirs, factor)
