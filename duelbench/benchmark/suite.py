"""The benchmark suite: groups of algorithms, instances and horizons, each with targets for the cost of a run.

Runs are timed in processor time, which a busy machine disturbs only a little. Targets are multiples of the time of a
few elementary operations on this machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, Trajectory, rollout
from duelbench.engine.streams import stream
from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.datasets import dataset
from duelbench.sources.generators import FAMILIES

_REPEATS = 20
_ENOUGH, _PATIENCE = 0.4, 4.0
"""Seconds of a case after which three repetitions are enough, and after which no more repetitions or runs start."""


@dataclass(frozen=True)
class Timing:
    """The cost of ``runs`` runs with ``horizon`` rounds: their mean ``informative`` duels and mean ``seconds``.

    ``worst``: the seconds of the slowest run.
    """

    horizon: int
    runs: int
    informative: float
    seconds: float
    worst: float


How = Literal["", "stepping", "compiling"]
"""What is timed: runs, runs round by round, or compiling an algorithm."""


def time_runs(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    horizons: Sequence[int],
    runs: int,
    complete: bool = False,
    how: How = "",
) -> list[Timing]:
    """Play ``runs`` runs for each horizon, several times each, in this process; the kernels must be compiled.

    All repetitions of run r have the same streams and the same order of arms, so they do the same work and the fastest
    counts. The horizons take turns, so that other load on the machine slows all of them down. ``complete``: every run
    is played at least once, however long it takes.
    """
    fastest = np.full((runs, len(horizons)), np.inf)
    informative = np.zeros((runs, len(horizons)))
    began = time.perf_counter()
    for repeat in range(_REPEATS):
        if repeat >= 3 and time.perf_counter() - began > _ENOUGH:
            break
        for run in range(runs):
            if (repeat or (run and not complete)) and time.perf_counter() - began > _PATIENCE:
                break
            for k, horizon in enumerate(horizons):
                seconds, trajectory = _one_run(algorithm, matrix, horizon, run, how)
                fastest[run, k] = min(fastest[run, k], seconds)
                informative[run, k] = trajectory.informative
    played = np.isfinite(fastest[:, 0])
    return [
        Timing(
            horizon,
            int(played.sum()),
            float(informative[played, k].mean()),
            float(fastest[played, k].mean()),
            float(fastest[played, k].max()),
        )
        for k, horizon in enumerate(horizons)
    ]


def _one_run(
    algorithm: Algorithm, matrix: PreferenceMatrix, horizon: int, run: int, how: How
) -> tuple[float, Trajectory]:
    environment, policy = stream(run, benchmark="environment"), stream(run, benchmark="policy")
    instance = matrix.relabelled(environment.permutation(matrix.arms).tolist())
    problem, grid = Problem(instance.P, regret_table(instance, "copeland")[None]), checkpoints([horizon], 20)
    began = time.process_time()
    trajectory = rollout(algorithm, problem, grid, Streams(environment, policy), Rules(stepping=how == "stepping"))
    seconds = time.process_time() - began
    return _compiling(algorithm) if how == "compiling" else seconds, trajectory


_COMPILE = """
import sys, time
from duelbench import simulate
P = [[0.5, 0.6], [0.4, 0.5]]
simulate("btw", P, horizon=1)  # compiles what all algorithms share
began = time.process_time()
simulate(sys.argv[1], P, horizon=1)
print(time.process_time() - began)
"""


def _compiling(algorithm: Algorithm) -> float:
    """Return the processor time of compiling an algorithm, in a new process with an empty cache."""
    with TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", _COMPILE, algorithm.name]
        return float(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


STEP = "a uniform double, a binomial draw and a pass over 64 numbers"
_NUMBERS = 64
_STEPS, _MEASUREMENTS = 1_000, 300


@kernel
def play_steps(count: int, numbers: Floats, rng: np.random.Generator) -> float:
    """Play ``count`` steps, each of which depends on the previous one."""
    total = 0.0
    for _ in range(count):
        total += rng.binomial(100, 0.25 + 0.5 * rng.random())
        for k in range(numbers.shape[0]):
            if numbers[k] > total:
                total = numbers[k]
    return total


def seconds_per_step() -> float:
    """Return the processor time of a step in seconds, the minimum of many short measurements."""
    numbers, rng = np.zeros(_NUMBERS), np.random.default_rng(1)
    play_steps(1, numbers, rng)  # compiles
    fastest = float("inf")
    for _ in range(_MEASUREMENTS):
        began = time.process_time()
        play_steps(_STEPS, numbers, rng)
        fastest = min(fastest, time.process_time() - began)
    return fastest / _STEPS


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
    duels. ``also``: further cases with the same name, but other horizons or targets. ``how``: what is timed.
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
    how: How = ""

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


_SIZES = tuple(f"btl-uniform:{arms}" for arms in (5, 16, 64, 136))
_THOMPSON = ("d-ts", "d-ts+")
_EXPLORERS = (
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
_FIRST_PASSAGE = ("knockout", "sequential-elimination", "opt-maximize", "mallows-mpi", "seebs")
_TOURNAMENTS = ("select", "nts", "select-then-verify", "dkwt", "pocowista", "tra-pocowista", "parwis")
_IDENTIFIERS = (
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
_ORDERS = ("mallows-mpr", "probe-rank", "probe-rank-se", "iir", "plpac-ampr", "eqs", "tks", "seeks", "pbr-copeland")
_ACTIVE_SAMPLERS = ("doubt", "gap-variance", "swiss", "repeated-sort", "arena-pairs", "crowd-bt", "hybrid-mst", "asap")
_WINNERS_STAY = ("ws-s", "wsw-pe")
_WEIGHTS = ("rex3", "sparring-exp3", "sparring-exp3s")
_RACES = ("ws-w", "btw", "btwr", "mbtw")
_MONITORED = ("anaconda", "mdb", "detect")
_OPTIMISTS = ("rucb", "rcs", "rmed1", "rmed2", "rmed2fh", "ccb", "scb", "ecw-rmed", "cw-rmed")
_MERGING = ("merge-rucb", "merge-dts")
_THOUSAND = ("btl-uniform:1000",)
_PROGRAMS, _SMALL = ("select", "knockout", "btm", "pl-pac", "probe-rank"), ("btl-uniform:8",)
_LEARNERS = ("sparring", "multisbm", "doubler", "uniform")
_MIRRORS = ("versatile-db", "dexp3", "dexp3-hp")

GROUPS = {
    group.name: group
    for group in (
        Group(
            "converging",
            "one winner, duelled against itself in the end",
            # naive never stops exploring if the two best arms are equally good against arm 0, as in some of these
            # instances; bcb explores six-rankers for more than a million rounds
            _OPTIMISTS
            + _THOMPSON
            + tuple(each for each in _EXPLORERS if each not in ("naive", "bcb"))
            + _WINNERS_STAY
            + _MERGING,
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
            "linear-programs",
            "three tied Copeland winners, by linear programs",
            ("cw-rmed",),
            ("mslr5-non-condorcet",),
            (10**6, 10**8),
            per_run=240_000_000,
        ),
        Group(
            "arms",
            f"many arms, gaps down to {MIN_GAP}",
            (*_THOMPSON, "rucb", "rmed1", "ccb", "ecw-rmed"),
            ("sushi16", ORDER, "mslr-informational:58"),
            (10**7,),
            per_run=16_000_000,
            also=(
                Group(
                    "arms",
                    "a thousand arms, each pair of which is rarely met",
                    ("rucb", "ccb", "rmed1", "merge-rucb"),
                    _THOUSAND,
                    (20_000, 10**6),
                    per_duel=16,
                ),
                Group(
                    "arms",
                    "a thousand arms, in batches with coins for all pairs",
                    ("merge-dts",),
                    _THOUSAND,
                    (20_000, 10**6),
                    per_duel=40,
                ),
                Group(
                    "arms",
                    "a thousand arms, coins for all their pairs",
                    ("d-ts",),
                    _THOUSAND,
                    (5_000,),
                    per_duel=2_400,
                ),
            ),
        ),
        Group(
            "races",
            "the winner stays, and never duels itself",
            _RACES,
            ("mslr5-condorcet", "six-rankers", "cyclic4"),
            (10**7,),
            per_round=0.5,
        ),
        Group(
            "monitored",
            "preferences may change",
            _MONITORED,
            ("mslr5-condorcet", "six-rankers", "sushi16"),
            (10**6,),
            per_round=1.6,
        ),
        Group(
            "exponential-weights",
            "arms drawn by exponential weights of their gains",
            _WEIGHTS,
            _SIZES,
            (10**6,),
            per_round=0.8,
        ),
        Group("every-duel", "every duel teaches", _LEARNERS, _SIZES, (10**6,), per_round=0.5),
        Group("mirror-descent", "chances computed anew in every round", _MIRRORS, _SIZES, (10**6,), per_round=0.8),
        Group("programs", "programs, in blocks", _PROGRAMS, _SMALL, (10**6,), per_run=40_000),
        Group("stepping", "programs, round by round", _PROGRAMS, _SMALL, (10**5,), per_run=150_000, how="stepping"),
        Group(
            "compiling", "programs, compiled in a new process", _PROGRAMS, _SMALL, (1,), per_run=5e7, how="compiling"
        ),
        Group(
            "growth",
            "what a duel costs as K grows",
            (
                *(*_OPTIMISTS[:-1], *_THOMPSON, "self-sparring", *_MERGING, *_EXPLORERS),
                *(*_FIRST_PASSAGE, *_TOURNAMENTS, *_IDENTIFIERS, *_ORDERS, *_ACTIVE_SAMPLERS, *_RACES, *_WINNERS_STAY),
            ),
            _SIZES,
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
