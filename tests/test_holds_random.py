"""Holds and blocks that draw what happens in them: distributed as stepping, and not so with a wrong skip.

Holds in which nothing is drawn are in test_holds.py. How it is asserted: conformance/holds.py.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.confidence.ccb import Ccb
from duelbench.algorithms.confidence.scb import Scb
from duelbench.algorithms.elimination.bcb import Bcb
from duelbench.algorithms.elimination.btm import Btm
from duelbench.algorithms.elimination.pcomp import Pcomp
from duelbench.algorithms.elimination.scomp import Scomp
from duelbench.algorithms.elimination.scomp2 import Scomp2
from duelbench.algorithms.identification.divide_and_battle import DivideAndBattle
from duelbench.algorithms.identification.dkwt import Dkwt
from duelbench.algorithms.identification.halving_battle import HalvingBattle
from duelbench.algorithms.identification.knockout import Knockout
from duelbench.algorithms.identification.mallows_mpi import MallowsMpi
from duelbench.algorithms.identification.nts import Nts
from duelbench.algorithms.identification.opt_maximize import OptMaximize
from duelbench.algorithms.identification.pocowista import Pocowista
from duelbench.algorithms.identification.seebs import Seebs
from duelbench.algorithms.identification.select import Select
from duelbench.algorithms.identification.select_then_verify import SelectThenVerify
from duelbench.algorithms.identification.sequential_elimination import SequentialElimination
from duelbench.algorithms.identification.tra_pocowista import TraPocowista
from duelbench.algorithms.identification.trace_the_best import TraceTheBest
from duelbench.algorithms.monitored.detect import Detect
from duelbench.algorithms.monitored.mdb import Mdb
from duelbench.algorithms.thompson.dts import Dts
from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.algorithms.uniform import Uniform
from duelbench.algorithms.winner_stays.btw import Btw
from duelbench.algorithms.winner_stays.btwr import Btwr
from duelbench.algorithms.winner_stays.mbtw import Mbtw
from duelbench.algorithms.winner_stays.ws_s import WsS
from duelbench.algorithms.winner_stays.ws_w import WsW
from duelbench.algorithms.winner_stays.wsw_pe import WswPe
from duelbench.conformance.holds import equal_self_duels, sample
from duelbench.conformance.instances import order
from duelbench.conformance.statistics import agreement, disagreement
from duelbench.engine.checkpoints import checkpoints
from duelbench.preferences.matrix import PreferenceMatrix
from tests.comparison import MATRICES, mutated
from tests.exploring import with_long_matches, with_long_requests
from tests.paths import counts_of_answers
from tests.thompson_runs import MATRICES as THOMPSON
from tests.thompson_runs import Free, tables_of

BATCH_MARKS = tuple(checkpoints([20_000], 2).tolist())


class Case(NamedTuple):
    """An algorithm, where and how often it is played, and what with: itself, stepping, or what has no holds at all.

    ``tables``: see ``sample``. ``share``: the most answers that a run may consist of, as a part of its rounds.
    """

    algorithm: Algorithm
    matrix: PreferenceMatrix
    marks: tuple[int, ...]
    runs: int
    tables: np.ndarray | None = None
    free: Algorithm | None = None
    share: float = 1 / 3


def thompson(kind, alpha, name, marks, merged=False, free=False, share=1 / 3):
    """D-TS or D-TS+; ``merged``: nobody tells apart the self-duels of arms of one score."""
    algorithm, matrix = kind(alpha=alpha), THOMPSON[name]
    reference = Free(inner=algorithm) if free else None
    return Case(algorithm, matrix, marks, 667, tables_of(matrix, merged), reference, share)


CASES = {
    # Exploitation from early on or not at all, one winner or three, large gaps and small ones.
    "uniform": Case(Uniform(), order(4, 0.7), (100, 3000, 3500, 9000), 750),
    "bcb": Case(Bcb(delta=0.9), order(3, 0.9), (300, 2000, 3500), 750, share=0.9),
    "uniform, two arms": Case(Uniform(), order(2, 0.7), (5, 500, 4000), 800),
    "btm, early": Case(Btm(gamma=1.0, confidence_scale=0.4), order(4, 0.8), (60, 400, 2500), 750),
    "btm, middle": Case(Btm(gamma=1.0, confidence_scale=0.6), order(5, 0.65, winners=3), (500, 4000, 20_000), 500),
    "btm, late": Case(Btm(gamma=1.0, confidence_scale=0.8), MATRICES["six-rankers"], (3000, 15_000, 60_000), 500),
    "btm, never": Case(Btm(), MATRICES["mslr5-condorcet"], (2500, 9000), 1000),
    "btm, two arms": Case(Btm(gamma=1.0, confidence_scale=0.5), order(2, 0.55), (300, 1500, 8000), 500),
    "btm, komiyama": Case(
        Btm(gamma=1.0, confidence_scale=0.6, variant="komiyama"), order(5, 0.65, winners=3), (500, 4000, 20_000), 500
    ),
    # With a small α a safe arm is often not that safe and holds are short.
    "rcs, large gaps": Case(Rcs(alpha=0.1), order(4, 0.8), (100, 1000, 5000), 2000),
    "rcs, small gaps": Case(Rcs(alpha=0.1), order(3, 0.56), (500, 3000, 15_000), 600),
    "rcs, five arms": Case(Rcs(), MATRICES["mslr5-condorcet"], (1000, 30_000), 300),
    "rcs, six arms": Case(Rcs(), MATRICES["six-rankers"], (1000, 30_000), 300, share=0.5),
    "ccb, two arms": Case(Ccb(alpha=0.2), order(2, 0.6), (100, 1000, 5000), 600),
    "ccb, small gaps": Case(Ccb(), order(4, 0.62, winners=3), (2000, 10_000, 30_000), 400),
    "ccb, large gaps": Case(Ccb(), order(5, 0.9, winners=3), (500, 2000, 5000), 400),
    "scb": Case(Scb(), order(4, 0.75), (150, 276, 900, 3000), 750),
    "scb, experiments": Case(Scb(alpha=0.51), order(4, 0.6), (150, 276, 900, 3000), 750),
    "trace the best": Case(TraceTheBest(epsilon=0.2, delta=0.9), order(5, 0.65, winners=3), (300, 700, 2000), 750),
    "divide and battle": Case(
        DivideAndBattle(epsilon=0.5, delta=0.9), order(5, 0.55, winners=3), (700, 2500, 4800, 9000), 750
    ),
    "halving battle": Case(HalvingBattle(epsilon=0.5, delta=0.99), order(5, 0.55, winners=3), (300, 900, 2500), 750),
    "d-ts": thompson(Dts, 0.51, "cyclic4", (1000, 10_000)),
    "d-ts, far winners": thompson(Dts, 0.1, "two far winners", (1000, 10_000)),
    "d-ts, free, merged": thompson(Dts, 0.1, "mslr5-non-condorcet", (2000, 10_000), True, True, share=0.99),
    "d-ts, free": thompson(Dts, 0.05, "cyclic4", (2000, 10_000), free=True),
    "d-ts, free, far winners": thompson(Dts, 0.51, "two far winners", (300, 3000, 20_000), free=True),
    "d-ts, free, far winners merged": thompson(Dts, 0.1, "two far winners", (300, 3000, 10_000), True, free=True),
    "d-ts+": thompson(DtsPlus, 0.51, "cyclic4", (500, 3000), share=0.5),
    "d-ts+, far winners": thompson(DtsPlus, 0.1, "two far winners", (500, 3000), merged=True),
    "d-ts+, free": thompson(DtsPlus, 0.05, "cyclic4", (2000, 10_000), free=True),
    "d-ts+, free, cautious": thompson(DtsPlus, 0.51, "mslr5-non-condorcet", (2000, 10_000), True, True, share=2),
    "d-ts+, free, merged": thompson(DtsPlus, 0.1, "mslr5-non-condorcet", (2000, 10_000), True, True, share=0.99),
    "d-ts+, free, far winners": thompson(DtsPlus, 0.1, "two far winners", (300, 3000), merged=True, free=True),
} | {
    f"{kind.name}, {name}": Case(kind(delta=0.05, elimination="kl"), MATRICES[name], BATCH_MARKS, 500)
    for kind in (Pcomp, Scomp, Scomp2)
    for name in ("mslr5-non-condorcet", "cyclic4", "random10", "six-rankers")
}
CASES |= {  # Blocks of a pair until a test decides it; the checkpoints cut them.
    "knockout": Case(Knockout(epsilon=0.1), order(4, 0.7), (30, 300, 1000), 500),
    "sequential-elimination": Case(SequentialElimination(epsilon=0.1), order(4, 0.7), (30, 300, 1000), 500),
    "opt-maximize": Case(OptMaximize(epsilon=0.3, delta=0.5), order(4, 0.8), (30, 300, 1500), 500),
    "mallows-mpi": Case(MallowsMpi(), order(4, 0.8), (30, 100, 400), 500),
    "seebs": Case(Seebs(), order(3, 0.85), (30, 300, 1000), 500),
}
CASES |= {
    "select, early stop": Case(Select(gap=0.15, early_stop=True), order(5, 0.6, winners=3), (60, 250, 600), 1500),
    "nts": Case(Nts(h=0.1), order(5, 0.62, winners=3), (50, 200, 500), 1500, share=0.5),
    "select-then-verify": Case(
        SelectThenVerify(h=0.15, alpha=0.3, beta=0.3), order(4, 0.62, winners=3), (100, 300, 450), 1500
    ),
    "dkwt": Case(Dkwt(delta=0.9), order(2, 0.55), (300, 1000, 4000), 400),
    "dkwt, reuse": Case(Dkwt(delta=0.9, reuse=True), order(2, 0.55), (300, 1000, 4000), 400),
    "pocowista": Case(Pocowista(delta=0.3), order(4, 0.65, winners=3), (100, 400, 1000), 1000),
    "tra-pocowista": Case(TraPocowista(delta=0.3), order(5, 0.65), (100, 300, 700), 1000),
}
CASES |= {  # Walks and races of a pair, and blocks of self-duels.
    "ws-w": Case(WsW(), order(3, 0.53), (30, 300, 1000), 500, share=0.8),
    "ws-s": Case(WsS(beta=1.3), order(4, 0.6, winners=3), (30, 300, 2000), 750, share=0.5),
    "btw": Case(Btw(), order(4, 0.65), (30, 300, 1000), 500),
    "btwr": Case(Btwr(), order(4, 0.8), (30, 300, 1000), 500, share=0.5),
    "mbtw": Case(Mbtw(), order(4, 0.7), (30, 300, 1000), 500),
    "wsw-pe": Case(WswPe(delta=0.5), order(4, 0.75), (30, 150, 500), 750, share=0.8),
    "mdb": Case(Mdb(gamma=0.05, beta=1.5, window=20, threshold=8.0), order(4, 0.8), (30, 300, 2000), 750, share=0.5),
    "detect": Case(
        Detect(inner="btw", explore=400, window=20, threshold=6.0), order(4, 0.65), (30, 300, 1000), 500, share=0.9
    ),
}


SLOW = ("d-ts, free, merged", "d-ts+, free, cautious", "d-ts+, free, merged")
"""They hardly hold in so many rounds: 16 seconds for votes that the other cases see, and test_…_thompson_rounds."""


def held(case, algorithm=None):
    return sample(algorithm or case.algorithm, case.matrix, case.marks, case.runs, 1, case.tables)


@cache
def stepped(label):
    case = CASES[label]
    stepping = case.free is None
    algorithm = case.algorithm if stepping else case.free
    return sample(algorithm, case.matrix, case.marks, case.runs, 2, case.tables, stepping=stepping)


@pytest.mark.parametrize(
    "label", [pytest.param(label, marks=pytest.mark.slow if label in SLOW else ()) for label in CASES]
)
def test_holding_is_stepping_in_distribution(label):
    case = CASES[label]
    assert agreement(held(case), stepped(label)) > 0.001
    equal = None if case.tables is None else equal_self_duels(case.tables)
    counts = counts_of_answers(case.algorithm, case.matrix, case.marks[-1], 0, equal)
    assert len(counts) < case.share * case.marks[-1]


def with_text_replaced(module, name, replacements):
    """Return a maker of mistaken algorithms: lines of the module are replaced in a copy."""
    return lambda algorithm, directory: mutated(module, replacements, directory, name)(**algorithm.model_dump())


WRONG = {
    "uniform": with_text_replaced(
        "uniform",
        "Uniform",
        {
            "(state.block, rounds, rng)": """(state.block, rounds, rng)
        moved = state.block.pending[0, 1] // 5
        state.block.pending[0, 1] -= moved
        state.block.pending[2, 3] += moved"""
        },
    ),
    "btm, early": with_text_replaced("btm", "Btm", {"2 - 1.0  #": "2 * 1.2  #"}),
    "btm, middle": with_text_replaced("btm", "Btm", {"2 - 1.0  #": "2 * 1.2  #"}),
    "btm, two arms": with_text_replaced("btm", "Btm", {"left, others, rng": "left, max(1, others - 1), rng"}),
    "btm, komiyama": with_text_replaced("btm", "Btm", {" and not (state.komiyama and i == j)": ""}),
    "rcs, large gaps": with_text_replaced("rcs", "Rcs", {"/ hold.log_sweep if": "/ hold.log_sweep * 1.2 if"}),
    # The rounds of a hold go to a single winner at random: that leaves the means as they are.
    "ccb, large gaps": with_text_replaced(
        "ccb", "Ccb", {"contenders > 1 and count > 1": "contenders > 5 and count > 1"}
    ),
    # Blocks that are too long, without the check.
    "scb": with_text_replaced("scb", "Scb", {"int(0.75 *": "int(2.5 *", "duels < 8 or m *": "duels < 8 or 0 * m *"}),
    "trace the best": lambda algorithm, _: with_long_matches(algorithm),
    "divide and battle": lambda algorithm, _: with_long_matches(algorithm),
    "halving battle": lambda algorithm, _: with_long_matches(algorithm),
} | {
    f"{name}, six-rankers": lambda algorithm, _: with_long_requests(algorithm) for name in ("pcomp", "scomp", "scomp2")
}
# Blocks of 25 duels that may end the test; what a single one changes is seen in test_…_first_passage.
WRONG["mallows-mpi"] = with_text_replaced(
    "mallows_mpi",
    "MallowsMpi",
    {
        "return answer(state, last - t + 1)": """first, second, count = answer(state, last - t + 1)
    longer = min(last - t + 1, max(count, 25))
    state.test[0].asked += longer - count
    return first, second, longer"""
    },
)
WRONG["bcb"] = with_text_replaced("bcb", "Bcb", {"far - lead - 1": "2 * far"})
WRONG["ws-s"] = with_text_replaced(
    "ws_s",
    "WsS",
    {"min(course.left, most)": "min(max(course.left, 8), most)", "left -= count": "left = max(0, course.left - count)"},
)
WRONG["mdb"] = with_text_replaced("mdb", "Mdb", {"state.period - place)": "state.period - place + 20)"})
WRONG["wsw-pe"] = with_text_replaced("wsw_pe", "WswPe", {"out: int = max(1, ": "out: int = max(8, "})


@pytest.mark.parametrize(
    "label",
    # The mistake of "btm, early" again.
    [pytest.param(label, marks=pytest.mark.slow if label == "btm, middle" else ()) for label in WRONG],
)
def test_a_wrong_hold_is_seen(label, tmp_path):
    case = CASES[label]
    wrong = WRONG[label](case.algorithm, tmp_path)
    assert disagreement(held(case, wrong), stepped(label)) < 1e-7


# What holds and blocks promise by themselves


@pytest.mark.parametrize("seed", range(20))
def test_no_block_of_btm_can_drop_an_arm(seed):
    """However its duels end: with all of them won by the best arm and lost by the worst, all arms stay in."""
    rng = np.random.default_rng(seed)
    algorithm = Btm(gamma=1.0, confidence_scale=float(rng.uniform(0.3, 3.0)))
    K = int(rng.integers(2, 6))
    state = algorithm.start(K, 10**6)
    best, worst = 0, K - 1
    fair, t, longest = int(rng.integers(K, 5000)), 1, 0
    while state.declared[0].winner < 0 and t < 10**6:
        first, second, count = algorithm.select(state, t, 10**6, rng)
        certain = count if first == best else 0 if first == worst else count // 2
        wins = rng.binomial(count, 0.5) if t < fair else certain
        active = state.active.sum()
        algorithm.update(state, first, second, int(wins), count)
        if count > 1 and active > 1:
            longest = max(longest, count)
            check = algorithm.start(K, 10**6)._replace(
                active=state.active.copy(),
                total=state.total.copy(),
                won=state.won.copy(),
            )
            check.progress[0].unjudged = True  # the arms are looked at
            check.progress[0].late = True  # and there is no block
            algorithm.select(check, t, t, rng)
            assert check.active.sum() == active
        t += count
    assert longest > 20
