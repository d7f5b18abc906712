"""The benchmark suite: groups of algorithms, instances and horizons, each with targets for the cost of a run."""

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
    # P[i, j] = 1/2 + (j − i) / 200: 64 arms with gaps of at least MIN_GAP, without a download.
    ORDER: {"name": "linear-order", "parameters": {"arms": 100}, "submatrix": {"arms": tuple(range(64))}},
}


@dataclass(frozen=True)
class Group:
    """Every algorithm on every instance, with targets: the maximum cost of a run; None means no target.

    All targets but ``ratio`` are in steps of the ``calibration``. ``per_run``: a run at the last horizon. ``ratio``:
    the seconds of a run at the last horizon, divided by those at the first. ``per_round``: a round with up to five
    arms; it grows in proportion to the number of arms. ``per_duel``: a run at each horizon, divided by its informative
    duels. ``also``: further cases with the same name, but other horizons or targets.
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
        """Return the largest ratio of a cost to its target, at most 1 if all targets are met; None without targets.

        ``step``: the seconds of a calibration step.
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
ORDERS = ("mallows-mpr", "probe-rank", "probe-rank-se", "iir", "plpac-ampr", "eqs", "tks", "seeks", "pbr-copeland")
ACTIVE_SAMPLERS = ("doubt", "gap-variance", "swiss", "repeated-sort", "arena-pairs", "crowd-bt", "hybrid-mst", "asap")
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
            # naive never stops exploring if the two best arms are equally good against arm 0, as in some of these
            # instances; bcb explores six-rankers for more than a million rounds
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
                *(*FIRST_PASSAGE, *TOURNAMENTS, *IDENTIFIERS, *ORDERS, *ACTIVE_SAMPLERS, *RACES, *WINNERS_STAY),
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
    """Return the matrix of the dataset ``name``, or with ``NAME:K`` a matrix of K arms.

    A generator makes K arms; from a table K arms are chosen at random, with gaps of at least ``MIN_GAP``. Random
    choices have a fixed seed. Raises UserError if there is no such dataset.
    """
    base, colon, arms = name.partition(":")
    if name in NAMED:
        found = dataset(**NAMED[name])
    elif not colon:
        found = dataset(name)
    elif not arms.isdecimal() or len(arms) > 9:
        raise UserError(f"{name!r} is not an instance: write NAME or NAME:K, as in sushi16:8")
    elif base in FAMILIES:
        found = dataset(base, parameters={"arms": int(arms)})
    else:
        found = dataset(base, submatrix={"size": int(arms), "min_gap": MIN_GAP})
    return found.instance(np.random.default_rng(1))
