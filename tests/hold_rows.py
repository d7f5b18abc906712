"""Rows for test_holds.py, which compares runs with holds to runs round by round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.case import order
from duelbench.engine.problem import checkpoints
from duelbench.preferences.matrix import PreferenceMatrix
from tests.catalogue import BANDITS, BATCHED, ELIMINATION, IDENTIFICATION
from tests.instances import DECISIVE, INSTANCES, KINDS
from tests.order_rows import ROWS as ORDERING
from tests.thompson_runs import MATRICES as THOMPSON
from tests.thompson_runs import Free, tables_of


@dataclass(frozen=True)
class Exact:
    """Holds that draw no random numbers: a run is the same with and without them.

    ``holds``: some of these runs must have self-duels, so that there are holds. ``draws``: see ``holds_as_it_steps``;
    use False for algorithms that ask for blocks, whose outcomes are a single draw, and only with certain outcomes.
    """

    name: str
    parameters: Mapping[str, Any]
    instances: tuple[str, ...]
    rounds: int
    holds: bool = True
    draws: bool = True
    delay: int = 1

    def algorithm(self) -> Algorithm:
        return catalogue()[self.name](**self.parameters)


CLEAR = ("two arms, close", "certain order", "one winner, the rest tied")
SMALL = ("six-rankers", "mslr5-condorcet", *KINDS[1:], "certain order")
DECIDED = ("six-rankers", "cyclic4", "random10", "bandit", *DECISIVE)
CERTAIN = ("certain order", "certain")
SINGLE = (
    *("if", "pbr", "rankel", "uniform-exploration", "wrapped", "naive", "savage", "pl-pac", "borda-elimination"),
    *("secs", "active-ranking", "explore-verify", "btm-pac", "plpac-ampr", "pbr-copeland"),
)
"""They answer one duel at a time until the winner is declared."""
MATCHES = ("trace-the-best", "divide-and-battle", "halving-battle")
ALWAYS = {
    "rucb": ({}, {"alpha": 0.05}, {"alpha": 1.0}),
    "rmed1": ({}, {"f_scale": 0.05, "f_power": 0.5}, {"f_scale": 0.0}),
    "rmed2": ({}, {"alpha": 20.0}),  # duels every pair again eight or ten times during the run
    "rmed2fh": ({}, {"alpha": 20.0}),
    "ecw-rmed": ({}, {"alpha": 10.0}),
    "cw-rmed": ({},),
    "merge-rucb": ({}, {"alpha": 0.3, "C": 2.0}),
    "merge-dts": ({}, {"batch": 4, "C": 2.0}),
    "rex3": ({}, {"adaptive": True}),  # the length of a hold is drawn once, wherever the checkpoints are
}
NEVER = ("doubler", "multisbm", "sparring", "self-sparring", "sparring-exp3", "sparring-exp3s")
"""These have no holds, and the others here none in so few rounds."""
EXACT = (
    {
        f"{name}, {parameters or 'usual'}": Exact(
            name, parameters, (*SMALL, *CLEAR), 10_000 if "merge" in name else 50_000
        )
        for name, several in ALWAYS.items()
        for parameters in several
    }
    # CCB draws its answers at random if there are several winners.
    | {"ccb": Exact("ccb", {}, ("six-rankers", "mslr5-condorcet", "cyclic4", "random10", "two arms"), 50_000)}
    | {name: Exact(name, {}, ("six-rankers",), 3000, holds=False) for name in NEVER}
    | {name: Exact(name, {}, ("cyclic4",), 2000, holds=False) for name in ("versatile-db", "dexp3", "dexp3-hp")}
    | {"uniform, round-robin": Exact("uniform", {"variant": "round-robin"}, SMALL, 10_000, holds=False, draws=False)}
    | {
        label: Exact(row.name, row.parameters, BANDITS if row.name == "naive" else row.played_on(DECIDED), 10_000)
        for label, row in (ELIMINATION | IDENTIFICATION | ORDERING).items()
        if row.name in SINGLE
    }
    # δ = 1/T
    | {
        f"{name}, long": Exact(name, {}, ("mslr5-non-condorcet", "arithmetic8", "tennis8"), 100_000)
        for name in ("if", "savage", "pbr", "rankel")
    }
    # If outcomes are certain, batches are like single duels.
    | {
        label: Exact(row.name, row.parameters, CERTAIN, 20_000, draws=False)
        for label, row in (BATCHED | IDENTIFICATION).items()
        if label in ("pcomp", "scomp", "scomp2") or row.name in MATCHES
    }
)


@dataclass(frozen=True)
class Sampled:
    """Holds that draw random numbers, and blocks: runs have the same distribution with and without them.

    ``tables``: see ``sample``. ``free``: an algorithm without holds, played instead of stepping round by round.
    ``share``: in most runs, the number of answers must be at most this share of the rounds.
    """

    name: str
    parameters: Mapping[str, Any]
    matrix: PreferenceMatrix
    marks: tuple[int, ...]
    runs: int = 300
    share: float = 1 / 3
    tables: np.ndarray | None = None
    free: Algorithm | None = None
    slow: bool = False

    def algorithm(self) -> Algorithm:
        return catalogue()[self.name](**self.parameters)


def thompson(name, alpha, instance, marks, merged=False, free=False, share=1 / 3, slow=False, runs=667):
    """Return a row for D-TS or D-TS+; if ``merged``, self-duels of arms with the same score are not distinguished."""
    matrix, kind = THOMPSON[instance], catalogue()[name]
    reference = Free(inner=kind(alpha=alpha)) if free else None
    return Sampled(name, {"alpha": alpha}, matrix, marks, runs, share, tables_of(matrix, merged), reference, slow=slow)


BATCHES = tuple(checkpoints([20_000], 2).tolist())
EAGER = {"gamma": 1.0, "confidence_scale": 0.4}
KOMIYAMA = {"gamma": 1.0, "confidence_scale": 0.6, "variant": "komiyama"}
SAMPLED = {
    # Cases with early exploitation or none, one winner or three, large gaps and small ones.
    "uniform": Sampled("uniform", {}, order(4, 0.7), (100, 3000, 3500, 9000), 300),
    "uniform, two arms": Sampled("uniform", {}, order(2, 0.7), (5, 500, 4000), 300),
    "bcb": Sampled("bcb", {"delta": 0.9}, order(3, 0.9), (300, 2000, 3500), 200, 0.9),
    "btm, early": Sampled("btm", EAGER, order(4, 0.8), (60, 400, 2500), 500),
    "btm, late": Sampled(
        *("btm", EAGER | {"confidence_scale": 0.8}, INSTANCES["six-rankers"], (3000, 15_000, 60_000), 500), slow=True
    ),
    "btm, never": Sampled("btm", {}, INSTANCES["mslr5-condorcet"], (2500, 9000), 1000, slow=True),
    "btm, two arms": Sampled("btm", EAGER | {"confidence_scale": 0.5}, order(2, 0.55), (300, 1500, 8000), 250),
    "btm, komiyama": Sampled("btm", KOMIYAMA, order(5, 0.65, winners=3), (500, 4000, 20_000), 200),
    # With a small α a safe arm often becomes unsafe, and holds are short.
    "rcs, large gaps": Sampled("rcs", {"alpha": 0.1}, order(4, 0.8), (100, 1000, 5000), 2000, slow=True),
    "rcs, small gaps": Sampled("rcs", {"alpha": 0.1}, order(3, 0.56), (500, 3000, 15_000), 300),
    "rcs, five arms": Sampled("rcs", {}, INSTANCES["mslr5-condorcet"], (1000, 10_000), 200, 0.5, slow=True),
    "ccb, two arms": Sampled("ccb", {"alpha": 0.2}, order(2, 0.6), (100, 1000, 5000), 300),
    "ccb, small gaps": Sampled("ccb", {}, order(4, 0.62, winners=3), (2000, 10_000, 30_000), 400, slow=True),
    # The rounds of a hold go to a single random winner, which does not change the means.
    "ccb, large gaps": Sampled("ccb", {}, order(5, 0.9, winners=3), (500, 2000, 5000), 200),
    "scb": Sampled("scb", {}, order(4, 0.75), (150, 276, 900, 3000), 250),
    "scb, experiments": Sampled("scb", {"alpha": 0.51}, order(4, 0.6), (150, 276, 900, 3000), 300),
    "trace-the-best": Sampled(
        *("trace-the-best", {"epsilon": 0.2, "delta": 0.9}, order(5, 0.65, winners=3), (300, 700, 2000), 250)
    ),
    "divide-and-battle": Sampled(
        *("divide-and-battle", {"epsilon": 0.5, "delta": 0.9}, order(5, 0.55, winners=3), (700, 2500, 4800, 9000), 250)
    ),
    "halving-battle": Sampled(
        *("halving-battle", {"epsilon": 0.5, "delta": 0.99}, order(5, 0.55, winners=3), (300, 900, 2500), 250)
    ),
    "d-ts": thompson("d-ts", 0.51, "cyclic4", (1000, 5000), runs=300),
    "d-ts, free, merged": thompson("d-ts", 0.1, "mslr5-non-condorcet", (2000, 10_000), True, True, 0.99, slow=True),
    "d-ts, free, far winners": thompson("d-ts", 0.51, "two far winners", (300, 3000), free=True, slow=True, runs=300),
    "d-ts+": thompson("d-ts+", 0.51, "cyclic4", (500, 3000), share=0.5, runs=300),
    "d-ts+, free, merged": thompson("d-ts+", 0.1, "mslr5-non-condorcet", (2000, 10_000), True, True, 0.99, slow=True),
    "d-ts+, free, far winners": thompson(
        "d-ts+", 0.1, "two far winners", (300, 3000), merged=True, free=True, slow=True, runs=400
    ),
    # Blocks of a pair until a test decides it; checkpoints fall within them.
    "knockout": Sampled("knockout", {"epsilon": 0.1}, order(4, 0.7), (30, 300, 1000), 300),
    "sequential-elimination": Sampled("sequential-elimination", {"epsilon": 0.1}, order(4, 0.7), (30, 300, 1000), 300),
    "opt-maximize": Sampled("opt-maximize", {"epsilon": 0.3, "delta": 0.5}, order(4, 0.8), (30, 300, 1500), 300),
    "mallows-mpi": Sampled("mallows-mpi", {}, order(4, 0.8), (30, 100, 400), 200),
    "seebs": Sampled("seebs", {}, order(3, 0.85), (30, 300, 1000), 300),
    "mallows-mpr": Sampled("mallows-mpr", {}, order(4, 0.8), (30, 200, 700), 200),
    "eqs": Sampled("eqs", {"top": 2, "epsilon": 0.2}, order(4, 0.8), (30, 200, 600), 200),
    "tks": Sampled("tks", {"top": 2, "epsilon": 0.2}, order(4, 0.8), (30, 200, 600), 200),
    "seeks": Sampled("seeks", {"top": 2}, order(4, 0.85), (30, 300, 1500), 200),
    "probe-rank": Sampled("probe-rank", {}, order(4, 0.8), (100, 350, 900), 200),
    "probe-rank-se": Sampled("probe-rank-se", {}, order(4, 0.8), (100, 250, 600), 300),
    "iir": Sampled("iir", {"delta": 0.9}, order(3, 0.7), (200, 1000, 4000), 300),
    "iir, as published": Sampled("iir", {"as_published": True}, order(3, 0.7), (200, 1000, 5000), 200),
    "select, early stop": Sampled(
        *("select", {"gap": 0.15, "early_stop": True}, order(5, 0.6, winners=3), (60, 250, 600), 500)
    ),
    "nts": Sampled("nts", {"h": 0.1}, order(5, 0.62, winners=3), (50, 200, 500), 500, 0.5),
    "select-then-verify": Sampled(
        *("select-then-verify", {"h": 0.15, "alpha": 0.3, "beta": 0.3}, order(4, 0.62, winners=3), (100, 300, 450), 300)
    ),
    "dkwt": Sampled("dkwt", {"delta": 0.9}, order(2, 0.55), (300, 1000, 4000), 300),
    "dkwt, reuse": Sampled("dkwt", {"delta": 0.9, "reuse": True}, order(2, 0.55), (300, 1000, 4000), 300),
    "pocowista": Sampled("pocowista", {"delta": 0.3}, order(4, 0.65, winners=3), (100, 400, 1000), 400),
    "tra-pocowista": Sampled("tra-pocowista", {"delta": 0.3}, order(5, 0.65), (100, 300, 700), 300),
    # Walks and races of a pair, and blocks of self-duels.
    "ws-w": Sampled("ws-w", {}, order(3, 0.53), (30, 300, 1000), 300, 0.8),
    "ws-s": Sampled("ws-s", {"beta": 1.3}, order(4, 0.6, winners=3), (30, 300, 2000), 400, 0.5),
    "btw": Sampled("btw", {}, order(4, 0.65), (30, 300, 1000), 300),
    "btwr": Sampled("btwr", {}, order(4, 0.8), (30, 300, 1000), 300, 0.5),
    "mbtw": Sampled("mbtw", {}, order(4, 0.7), (30, 300, 1000), 300),
    "wsw-pe": Sampled("wsw-pe", {"delta": 0.5}, order(4, 0.75), (30, 150, 500), 300, 0.8),
    "mdb": Sampled(
        "mdb", {"gamma": 0.05, "beta": 1.5, "window": 20, "threshold": 8.0}, order(4, 0.8), (30, 300, 2000), 200, 0.5
    ),
    "detect": Sampled(
        *("detect", {"inner": "btw", "explore": 400, "window": 20, "threshold": 6.0}, order(4, 0.65), (30, 300, 1000)),
        *(300, 0.9),
    ),
} | {
    f"{name}, {instance}": Sampled(
        *(name, {"delta": 0.05, "elimination": "kl"}, INSTANCES[instance], BATCHES, 300),
        slow=instance != "six-rankers",
    )
    for name in ("pcomp", "scomp", "scomp2")
    for instance in ("six-rankers", "cyclic4", "mslr5-non-condorcet", "random10")
}
