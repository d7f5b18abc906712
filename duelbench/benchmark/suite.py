"""The benchmark suite: groups of algorithms, instances and horizons, each with the cost that a run may have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelbench.benchmark.timing import Timing
from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.datasets import dataset
from duelbench.sources.generators import FAMILIES

MIN_GAP = 0.005
"""The smallest |p − 1/2| of random submatrices."""

ORDER = "order64"
NAMED: dict[str, dict[str, Any]] = {
    # P[i, j] = 1/2 + (j − i) / 200: as many arms as asked for and this very gap, without a download.
    ORDER: {"name": "linear-order", "parameters": {"arms": 100}, "submatrix": {"arms": tuple(range(64))}},
}


@dataclass(frozen=True)
class Group:
    """Algorithms on instances, all with all, and the most that a run may cost; None where nothing is asked.

    All but ``ratio`` are numbers of steps of the ``calibration``. ``per_run``: a run at the last of the ``horizons``;
    ``ratio``: its seconds by those of a run at the first. ``per_round``: a round with five arms, in proportion with
    more. ``per_duel``: an informative duel at each of the horizons, all of a run in it. ``also``: cases of the same
    name that have horizons or targets of their own.
    """

    name: str
    title: str
    algorithms: tuple[str, ...]
    instances: tuple[str, ...]
    horizons: tuple[int, ...]
    per_run: float | None = None
    ratio: float | None = None
    per_round: float | None = None
    per_duel: float | None = None
    also: tuple[Group, ...] = ()

    def excess(self, timings: Sequence[Timing], arms: int, step: float) -> float | None:
        """Return by what factor a case exceeds its targets, at most 1 if it meets them; None without targets.

        ``step``: the seconds of a step of the calibration.
        """
        first, last = timings[0], timings[-1]
        factors = []
        if self.per_run is not None:
            factors.append(last.seconds / step / self.per_run)
        if self.ratio is not None:
            factors.append(last.seconds / first.seconds / self.ratio)
        if self.per_round is not None:
            factors.append(last.seconds / last.horizon / step / (self.per_round * max(1.0, arms / 5)))
        if self.per_duel is not None:
            factors += [each.seconds / max(1.0, each.informative) / step / self.per_duel for each in timings]
        return max(factors, default=None)


SIZES = tuple(f"btl-uniform:{arms}" for arms in (5, 16, 64, 136))
THOMPSON = ("d-ts", "d-ts+")
EXPLORERS = (
    "if",
    "btm",
    "bcb",
    "savage",
    "pbr",
    "rankel",
    "wrapped",
    "naive",
    "uniform-exploration",
    "pcomp",
    "scomp",
    "scomp2",
)
FIRST_PASSAGE = ("knockout", "sequential-elimination", "opt-maximize", "mallows-mpi", "seebs")
TOURNAMENTS = ("select", "nts", "select-then-verify", "dkwt", "pocowista", "tra-pocowista", "parwis")
IDENTIFIERS = (
    "pl-pac",
    "trace-the-best",
    "divide-and-battle",
    "halving-battle",
    "btm-pac",
    "borda-elimination",
    "secs",
    "active-ranking",
    "explore-verify",
)
WINNERS_STAY = ("ws-s", "wsw-pe")
WEIGHTS = ("rex3", "sparring-exp3", "sparring-exp3s")
RACES = ("ws-w", "btw", "btwr", "mbtw")
MONITORED = ("anaconda", "mdb", "detect")
OPTIMISTS = ("rucb", "rcs", "rmed1", "rmed2", "rmed2fh", "ccb", "scb", "ecw-rmed", "cw-rmed")
MERGING = ("merge-rucb", "merge-dts")
THOUSAND = ("btl-uniform:1000",)
LEARNERS = ("sparring", "multisbm", "doubler", "uniform")
MIRRORS = ("versatile-db", "dexp3", "dexp3-hp")

GROUPS = {
    group.name: group
    for group in (
        Group(
            "converging",
            "one winner, duelled against itself in the end",
            # naive explores for ever where the two best are equally good against arm 0, as in some of these; bcb does
            # among six rankers, beyond a million rounds
            OPTIMISTS
            + THOMPSON
            + tuple(each for each in EXPLORERS if each not in ("naive", "bcb"))
            + WINNERS_STAY
            + MERGING,
            ("mslr5-condorcet", "six-rankers", "cyclic4", "arithmetic8"),
            (10**6, 10**8),
            per_run=800_000,
            ratio=3.0,
        ),
        Group(
            "winners",
            "three tied Copeland winners",
            ("d-ts", "ccb", "ecw-rmed"),
            ("mslr5-non-condorcet",),
            (10**6, 10**8),
            per_run=8_000_000,
            ratio=3.0,
        ),
        Group(
            "broken-ties",
            "three tied Copeland winners, ranked by estimates of regret",
            ("d-ts+",),
            ("mslr5-non-condorcet",),
            (10**6, 10**8),
            per_run=8_000_000,
        ),
        Group(
            "programs",
            "three tied Copeland winners, by linear programs",
            ("cw-rmed",),
            ("mslr5-non-condorcet",),
            (10**6, 10**8),
            per_run=240_000_000,
        ),
        Group(
            "arms",
            f"many arms, gaps down to {MIN_GAP}",
            (*THOMPSON, "rucb", "rmed1", "ccb", "ecw-rmed"),
            ("sushi16", ORDER, "mslr-informational:58"),
            (10**7,),
            per_run=16_000_000,
            also=(
                Group(
                    "arms",
                    "a thousand arms, each pair of which is rarely met",
                    ("rucb", "ccb", "rmed1", "merge-rucb"),
                    THOUSAND,
                    (20_000, 10**6),
                    per_duel=16,
                ),
                Group(
                    "arms",
                    "a thousand arms, in batches with coins for all pairs",
                    ("merge-dts",),
                    THOUSAND,
                    (20_000, 10**6),
                    per_duel=40,
                ),
                Group(
                    "arms",
                    "a thousand arms, coins for all their pairs",
                    ("d-ts",),
                    THOUSAND,
                    (5_000,),
                    per_duel=2_400,
                ),
            ),
        ),
        Group(
            "races",
            "the winner stays, and never duels itself",
            RACES,
            ("mslr5-condorcet", "six-rankers", "cyclic4"),
            (10**7,),
            per_round=0.5,
        ),
        Group(
            "monitored",
            "preferences may change",
            MONITORED,
            ("mslr5-condorcet", "six-rankers", "sushi16"),
            (10**6,),
            per_round=1.6,
        ),
        Group(
            "exponential-weights",
            "arms drawn by exponential weights of their gains",
            WEIGHTS,
            SIZES,
            (10**6,),
            per_round=0.8,
        ),
        Group("every-duel", "every duel teaches", LEARNERS, SIZES, (10**6,), per_round=0.5),
        Group("mirror-descent", "chances computed anew in every round", MIRRORS, SIZES, (10**6,), per_round=0.8),
        Group(
            "growth",
            "what a duel costs as K grows",
            (
                *(*OPTIMISTS[:-1], *THOMPSON, "self-sparring", *MERGING, *EXPLORERS),
                *(*FIRST_PASSAGE, *TOURNAMENTS, *IDENTIFIERS, *RACES, *WINNERS_STAY),
            ),
            SIZES,
            (20_000,),
        ),
    )
}


def suite() -> Iterator[Group]:
    """Yield every group, each followed by the further cases of its name."""
    for group in GROUPS.values():
        yield group
        yield from group.also


def instance(name: str) -> PreferenceMatrix:
    """Return the matrix called ``name``, that of a dataset, or ``NAME:K``: K arms of it.

    A generator makes K arms; of a table K are chosen at random, with gaps of at least ``MIN_GAP``. What is random is
    the same each time. Raises UserError if there is no such thing.
    """
    base, colon, arms = name.partition(":")
    if name in NAMED:
        found = dataset(**NAMED[name])
    elif not colon:
        found = dataset(name)
    elif not arms.isdecimal():
        raise UserError(f"{name!r} is not an instance: write NAME or NAME:K, as in sushi16:8")
    elif base in FAMILIES:
        found = dataset(base, parameters={"arms": int(arms)})
    else:
        found = dataset(base, submatrix={"size": int(arms), "min_gap": MIN_GAP})
    return found.instance(np.random.default_rng(1))
