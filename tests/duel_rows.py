"""Expected numbers of duels until a declaration: rows of the catalogue's table (test_catalogue.py).

Most are means over a few hundred runs of an independent implementation, with standard errors; some are published.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.rounds import simulate, streams
from tests.instances import matrix_of

FOREVER = 10**11
"""A horizon that no run here reaches."""


class Mean(NamedTuple):
    """A mean with its standard error, and the share of runs that declare a best arm."""

    mean: float
    error: float
    right: float

    def deviation(self, mean: float, error: float) -> float:
        """Return the distance from another mean in standard errors."""
        return abs(self.mean - mean) / max(np.hypot(self.error, error), 1e-9)


@dataclass(frozen=True, eq=False)
class Duels:
    """Mean number of duels until an algorithm declares a winner, with its standard error, 0 if the mean is exact.

    ``instance``: see ``matrix_of``. ``right``: the share of our ``runs`` whose declaration must be right. An arm is
    right if it is a Copeland winner or loses to no other arm by more than the ε of the algorithm; no winner is right
    if there is no Condorcet winner; tiers are right if no arm loses to an arm in a later tier by more than ε.
    """

    name: str
    parameters: Mapping[str, Any]
    instance: Any
    mean: float = 0.0
    error: float = 0.0
    runs: int = 300
    right: float = 1.0
    slow: bool = False

    def measured(self) -> Mean:
        algorithm = catalogue()[self.name](**self.parameters)
        duels, right = np.empty(self.runs), 0
        slack = getattr(algorithm, "epsilon", 0.0) + 1e-9
        for run in range(self.runs):
            P = matrix_of(self.instance, 1, run)
            played = simulate(algorithm, P, np.zeros((1, *P.shape)), np.array([FOREVER]), *streams(1, run))
            winner, duels[run] = played.declaration
            score = (P > 0.5).sum(axis=1)
            if isinstance(winner, tuple):
                right += all((P[np.ix_(a, b)] >= 0.5 - slack).all() for a, b in combinations(map(list, winner), 2))
            elif winner is None:
                right += score.max() < len(P) - 1
            else:
                right += score[winner] == score.max() or P[winner].min() >= 0.5 - slack
        error = duels.std(ddof=1) / np.sqrt(self.runs)
        return Mean(float(duels.mean()), float(error), right / self.runs)


def rows(name, parameters, runs, *numbers, slow=True, **more):
    """Yield rows that differ only in instance, mean and error: the first is quick, the others are ``slow``."""
    for k, (instance, mean, error) in enumerate(numbers):
        yield Duels(name, parameters, instance, mean, error, runs, slow=slow and k > 0, **more)


AT_01 = {"delta": 0.1}
K10 = "0.6, K = 10"
PASSAGES = [
    # On the 0.6 model, the C++ program of Ren, Liu and Shroff agrees with these numbers.
    *rows("knockout", AT_01, 500, (K10, 6686, 28), ("btl", 4311, 43)),
    *rows("sequential-elimination", AT_01, 1000, (K10, 7567, 56), ("btl", 5117, 111)),
    # With δ ≤ 1/K, Opt-Maximize is a sequential elimination.
    *rows("opt-maximize", AT_01, 500, (K10, 7567, 56)),
    *rows("mallows-mpi", AT_01, 500, (K10, 8654, 32), ("btl", 4325, 58)),
    *rows("seebs", AT_01, 400, (K10, 78994, 251), ("btl", 26891, 136)),
]
SINGLE_ELIMINATION = [
    *rows("select", {"delta": 0.1, "gap": 0.1}, 20, (K10, 1584, 0), right=0.8),
    *(Duels("select", {"budget": b}, K10, 9 * m, 0, 2, 0.0) for b, m in ((90, 10), (98, 10), (99, 11), (5, 1))),
    Duels("select", {"duels_per_pair": 7}, K10, 63, 0, 2, 0.0),
    Duels("select", {"delta": 0.1, "gap": 0.1, "early_stop": True}, K10, 1334, 1, 500, 0.97),
    Duels(*("select", {"gap": 0.1, "early_stop": True}, ("condorcet", 20, 0.6, 1.0), 2718, 3, 500, 0.985), slow=True),
    Duels("nts", {"h": 0.1, "alpha": 0.1, "beta": 0.1}, K10, 937, 5, 500, 0.93),
    # Table 1 of the supplement of UAI 2021, without its first duel of every pair.
    *(
        Duels("nts", {}, ("distance", 20, distance), mean, error, 500, slow=distance != 0.3)
        for distance, mean, error in ((0.45, 725, 3), (0.3, 1081, 4), (0.05, 6446, 45))
    ),
    # The same table has 21751 and 22544, with two more pairs and the first duel of every pair.
    Duels("select-then-verify", {}, ("distance", 20, 0.45), 19690, 5, 60),
    *(
        Duels("dkwt", AT_01, instance, mean, error, 500, slow=instance == "arithmetic8")
        for instance, mean, error in (
            (K10, 41110, 102),
            ("arithmetic8", 44957, 564),
            ("btl", 17046, 234),
        )
    ),
    Duels("dkwt", {"reuse": False}, ("condorcet", 20, 0.6, 1.0), 25147, 232, 600, 0.99, slow=True),
    Duels("dkwt", {"reuse": True}, ("condorcet", 20, 0.6, 1.0), 24901, 234, 600, 0.99, slow=True),
    Duels("pocowista", AT_01, (K10, "in line"), 4028, 21, 400),
    Duels("pocowista", AT_01, ("btl", "in line"), 1329, 14, 400),
    *(
        Duels("pocowista", {"delta": delta}, instance, mean, error, 300, 1 - delta, slow=mean != 2491)
        for delta, instance, mean, error in (
            (0.05, ("copeland", 10, 0.6, 1.0), 2491, 28),
            (0.01, ("copeland", 10, 0.6, 1.0), 2950, 33),
            (0.05, ("condorcet", 20, 0.6, 1.0), 3537, 43),
        )
    ),
]
OTHERS = [
    # ⌈4/ε² ln(2K/δ)⌉ = 8478 duels of every arm but one for K = 10, ε = 0.05 and δ = 0.1.
    Duels("trace-the-best", {}, K10, 9 * 8478, 0, 20),
    Duels("trace-the-best", {"epsilon": 0.06}, K10, 9 * 5888, 0, 2),
    # There are 5, 2, 1 and 1 matches; the last one has its own ε, which is 2ε/3, and its own δ.
    Duels("divide-and-battle", {}, K10, 2_654_012, 0, 20),
    # There are 5, 2, 1 and 1 matches if none is a tie.
    Duels(
        *("halving-battle", {}, K10),
        sum(n * int(np.ceil(np.log(40 * 2**r) / (0.0125 * 0.75**r) ** 2)) for r, n in enumerate((5, 2, 1, 1), start=1)),
        *(0, 20),
    ),
    *(
        Duels(
            "active-ranking", {"delta": d, "radius": r}, instance, mean, error, 30 if r == "paper" else 300, slow=slow
        )
        for instance, d, r, mean, error, slow in (
            (K10, 0.1, "experiments", 92_126, 1431, True),
            ("btl", 0.1, "experiments", 13_460, 202, False),
            ("arithmetic8", 0.1, "paper", 143_634, 1095, False),
            # Heckel et al. (2019): 200 runs, or 100 runs for more arms. They print no standard errors; these are ours.
            ("heckel 5", 0.7, "experiments", 9528, 2854 / 200**0.5, False),
            ("heckel, 10 arms", 0.7, "experiments", 13_118, 400, True),
        )
    ),
    # The top three of ten arms: the authors' program takes 7,042 ± 350 duels for btl.
    *rows("active-ranking", {"radius": "program", "tiers": (3,)}, 300, ("btl", 7047, 165), (K10, 62_512, 1396)),
    # The program of Ren, Liu and Shroff takes 506,510 ± 2,944 duels for the complete order.
    *(
        Duels("active-ranking", {"tiers": tiers}, instance, mean, error, 100, slow=True)
        for tiers, instance, mean, error in (*(((3,), "btl", 119_034, 1461), ("order", "btl", 508_813, 2923)),)
    ),
    *rows("borda-elimination", {}, 100, ("btl", 42_148, 655), ("arithmetic8", 43_929, 810)),
    # The number for K = 10 is from a second implementation. The first took 45,949 ± 2,074 duels in fifty runs, but the
    # distribution has a long tail. No reading of the pseudo-code gives 45,949 and the other two numbers.
    *rows("secs", {"sparsity": 1}, 150, ("btl", 24_437, 1116), ("arithmetic8", 32_992, 1475), (K10, 40_760, 630)),
    *(
        Duels("btm-pac", {"self_duels": self_duels}, instance, mean, error, 20 if slow else 10, slow=slow)
        for instance, self_duels, mean, error, slow in (
            ("btl", True, 429_631, 3430, False),
            (K10, False, 353_641, 4519, False),
        )
    ),
    # The data behind Fig. 4(b) of Heckel et al. (2019), 200 runs.
    Duels("btm-pac", {"variant": "heckel", "delta": 0.7}, "heckel 9", 3845, 911 / 200**0.5, 150),
    *(
        Duels("pl-pac", {"epsilon": e, "delta": d, "variant": v}, instance, mean, error, 150, slow=slow)
        for instance, e, d, v, mean, error, slow in (
            ("btl", 0.05, 0.1, "paper", 2360, 21, True),
            ("btl", 0.0, 0.1, "paper", 3776, 34, False),
            ("heckel 9", 0.0, 0.7, "heckel", 2356, 313 / 200**0.5, False),
            ("heckel, 10 arms", 0.0, 0.7, "heckel", 11_046, 180, True),  # no errors are printed: these are ours
        )
    ),
]
ORDERS = [
    *rows("mallows-mpr", {"delta": 0.01}, 300, (K10, 25_912, 113), ("btl", 23_352, 100), ("weak", 513_347, 4665)),
    *rows("probe-rank", {"delta": 0.01}, 300, (K10, 61_920, 372), ("btl", 35_482, 424), ("weak", 17_364, 114)),
    *rows("probe-rank-se", {"delta": 0.01}, 300, (K10, 39_078, 221), ("btl", 24_667, 158), ("weak", 13_267, 232)),
    *rows("iir", {"delta": 0.01}, 100, (K10, 73_016, 341), ("btl", 108_765, 1488)),
    Duels("iir", {"delta": 0.01, "as_published": True}, K10, 90_078, 133, 100),  # from the authors' program
    Duels("plpac-ampr", {"delta": 0.01}, "btl", 41_747, 239, 100),
    # On the 0.6 model, the C++ program of Ren, Liu and Shroff agrees with these numbers.
    *rows("eqs", {"top": 3}, 300, (K10, 17_765, 306), ("btl", 12_146, 199)),
    *rows("tks", {"top": 3}, 300, (K10, 23_157, 209), ("btl", 15_551, 180)),
    *rows("seeks", {"top": 3}, 200, (K10, 144_842, 559), ("btl", 71_614, 384)),
    *rows(*("seeks", {"top": 3, "inner": "eqs"}, 200, (K10, 128_696, 746), ("btl", 66_431, 359)), slow=True),
    # An error in its loop makes that program declare wrong sets here, after 30,339 duels.
    Duels("seeks", {"top": 4}, "two", 199_313, 1064, 100),
    *rows("pbr-copeland", {"top": 3}, 60, ("btl", 17_285, 147), (K10, 49_498, 167)),
]
DUELS = PASSAGES + SINGLE_ELIMINATION + OTHERS + ORDERS
