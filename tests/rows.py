"""The fields of a row in the catalogue's table. The rows are in catalogue.py and, for algorithms that minimize regret,
in regret_rows.py; test_catalogue.py plays them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue
from tests.instances import DECISIVE, INSTANCES, KINDS


class Runs(NamedTuple):
    """Runs of ``rounds`` rounds on each of these instances, with seeds 0, 1, …"""

    instances: tuple[str, ...]
    rounds: int
    seeds: int = 1


class Stated(NamedTuple):
    """Mean cumulative regrets (t, mean, standard error) from a paper or another program.

    ``runs`` is the number of our runs.
    """

    instance: str
    numbers: tuple[tuple[int, float, float], ...]
    runs: int
    kind: str
    slow: bool = True


SHORT = tuple(Runs(("two arms", "three winners"), rounds) for rounds in (1, 2, 7, 50))
"""Very short runs, part of every row."""


TIED = ("ties", "tie classes", "two arms, all ties")
"""Runs with ties, for algorithms that accept them."""


def everywhere(rounds: int) -> Runs:
    return Runs(KINDS, rounds)


def to_the_winner(rounds: int = 3000, seeds: int = 1) -> Runs:
    return Runs(DECISIVE, rounds, seeds)


@dataclass(frozen=True, eq=False)
class Row:
    """An algorithm with parameters, and the runs in which its path must equal its reference implementation's.

    ``late``: delays of outcomes, each with a lower bound on the winner's share of all places in the duels of rounds
    10,001 to 20,000 (test_late). ``fewest``: the least number of arms that the algorithm is played on.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[Runs, ...] = ()
    stated: tuple[Stated, ...] = ()
    late: tuple[tuple[int, float], ...] = ()
    fewest: int = 2

    def algorithm(self) -> Algorithm:
        return catalogue()[self.name](**self.parameters)

    def each(self) -> Iterator[tuple[str, int, int]]:
        """Yield the instance, the rounds and the seed of every run."""
        for instances, rounds, seeds in (*self.runs, *SHORT):
            yield from ((instance, rounds, seed) for instance in self.played_on(instances) for seed in range(seeds))

    def played_on(self, instances: tuple[str, ...]) -> tuple[str, ...]:
        """Return the instances that have enough arms."""
        return tuple(each for each in instances if INSTANCES[each].arms >= self.fewest)
