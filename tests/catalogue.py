"""The table that drives the tests of the catalogue (test_catalogue.py). A new algorithm adds rows here and no file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue
from tests.instances import DECISIVE, KINDS


class Runs(NamedTuple):
    """Runs of so many rounds on each of these instances, with seeds 0, 1, …"""

    instances: tuple[str, ...]
    rounds: int
    seeds: int = 1


class Line(NamedTuple):
    """A mistake in a module of the reference implementations: a text that occurs once, and what replaces it."""

    module: str
    right: str
    wrong: str


SHORT = tuple(Runs(("two arms", "three winners"), rounds) for rounds in (1, 2, 7, 50))
"""Runs that end before an algorithm has begun: part of every row."""


def everywhere(rounds: int) -> Runs:
    return Runs(KINDS, rounds)


def to_the_winner(rounds: int = 3000, seeds: int = 2) -> Runs:
    return Runs(DECISIVE, rounds, seeds)


@dataclass(frozen=True, eq=False)
class Row:
    """An algorithm with its parameters, and the runs in which its path is that of its reference implementation.

    ``mistakes``: each must change the path of one of the runs at least. A mapping has other parameters for the
    algorithm, a ``Line`` is a mistake in the reference implementation.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[Runs, ...] = ()
    mistakes: tuple[Mapping[str, Any] | Line, ...] = ()

    def algorithm(self, **mistake: Any) -> Algorithm:
        return catalogue()[self.name](**{**self.parameters, **mistake})

    def each(self) -> Iterator[tuple[str, int, int]]:
        """Yield the instance, the rounds and the seed of every run."""
        for instances, rounds, seeds in (*self.runs, *SHORT):
            yield from ((instance, rounds, seed) for instance in instances for seed in range(seeds))


# A label is the name of an algorithm or begins with it. One parameter set for each part of the code that others do not
# reach; so many rounds as the reference implementation plays in a few hundredths of a second.

ELIMINATION = {
    "if": Row(
        "if",
        runs=(everywhere(4000), to_the_winner()),
        mistakes=(Line("interleaved_filter", "4 * math.log(1 / delta)", "5.76 * math.log(1 / delta)"),),
    ),
    "pl-pac": Row("pl-pac", {"delta": 0.3}, (everywhere(1500), to_the_winner())),
}
IDENTIFICATION = {
    "knockout": Row(
        "knockout",
        runs=(everywhere(1500), to_the_winner(1500)),
        mistakes=(
            {"delta": 0.11},
            {"epsilon": 0.06},
            Line("first_passage", "return math.sqrt(math.log(4 * n**2", "return 1.1 * math.sqrt(math.log(4 * n**2"),
            Line("arithmetic", "environment.random() < P[first", "environment.random() >= P[first"),
        ),
    ),
    "knockout, rash": Row(
        "knockout",
        {"epsilon": 0.3, "delta": 0.4, "gamma": 1.3},
        (everywhere(1500), to_the_winner(1500)),
        mistakes=({"gamma": 1.4},),
    ),
}
CONFIDENCE = {
    "rucb": Row("rucb", runs=(everywhere(1000),), mistakes=({"alpha": 0.51 * 1.2}, {"alpha": 0.51 * 1.001})),
    "rucb, eager": Row("rucb", {"alpha": 0.05}, (everywhere(1000), Runs(("fifty arms",), 400))),
}
PATHS = ELIMINATION | IDENTIFICATION | CONFIDENCE
