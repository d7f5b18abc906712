"""How many duels others count until an order is declared, and how near an order comes with few votes.

The papers print figures without numbers. The numbers are of their authors' programs, run again, or of a second
implementation of each algorithm, which shares no code with this package.
"""

from __future__ import annotations

from duelbench.analysis.reproduction.declaration_measures import (
    always_right,
    equal_counts,
    equal_distances,
    equal_shares,
    nearer,
)
from duelbench.analysis.reproduction.library import Figure, Mean, Paper, Statement

_PROGRAM = "(the authors' program, run again; not printed)"
INDEPENDENT = "(an independent implementation, ours; no paper's)"
_ORDER, _WEAK, _SORT, _VOTES = "fig-order-1", "fig-order-2", "fig-sort-1", "fig-order-votes"
_PLACES = {
    "0.6, K = 5": "flat-arms=5",
    "0.6, K = 10": "flat-arms=10",
    "linear": "linear",
    "BTL 0.3": "BTL-step=0.3",
    "BTL 0.405": "BTL-step=0.405465",
}
_EVERYWHERE = tuple(_PLACES.values())


def counted(figure: str, label: str, places: dict[str, str], stated: dict[str, Mean]) -> Statement:
    """Return the statement that an algorithm takes so many duels on each of these datasets."""
    words = ", ".join(f"{mean.value:.0f} ({key})" for key, mean in stated.items())
    return Statement(f"{label}: {words}", equal_counts(figure, label, {places[key]: stated[key] for key in stated}))


def _duels(label: str, stated: dict[str, Mean]) -> Statement:
    return counted(_ORDER, label, _PLACES, stated)


_INSERTION = Paper(
    "Ren, Liu, Shroff. On Sample Complexity Upper and Lower Bounds for Exact Ranking from Noisy Comparisons. "
    "NeurIPS 2019",
    (
        Figure(
            _ORDER,
            f"Duels until the order is declared, δ = 0.01 {_PROGRAM}",
            (
                _duels(
                    "IIR as published",
                    {
                        "0.6, K = 5": Mean(35_372, 103),
                        "0.6, K = 10": Mean(90_078, 133),
                        "linear": Mean(275_892, 2009),
                        "BTL 0.405": Mean(90_789, 174),
                    },
                ),
            ),
        ),
        Figure(
            "",
            f"The same {INDEPENDENT}; `{_ORDER}`",
            (
                _duels(
                    "IIR",
                    {
                        "0.6, K = 10": Mean(73_016, 341),
                        "BTL 0.3": Mean(108_765, 1488),
                        "BTL 0.405": Mean(59_422, 302),
                    },
                ),
                _duels(
                    "MallowsMPR",
                    {
                        "0.6, K = 5": Mean(7712, 59),
                        "0.6, K = 10": Mean(25_912, 113),
                        "linear": Mean(54_802, 217),
                        "BTL 0.3": Mean(23_352, 100),
                        "BTL 0.405": Mean(12_416, 54),
                    },
                ),
                _duels("PLPAC-AMPR", {"BTL 0.3": Mean(41_747, 239)}),
                Statement(
                    "all are right",
                    always_right(_ORDER, "MallowsMPR", "IIR", "IIR as published", datasets=_EVERYWHERE, at_most=0.01),
                ),
            ),
        ),
    ),
    "`IIR as published` has two errors of the authors' program: no walk ends early, and comparisons with imagined arms "
    "at both ends are played and counted. IIR is right without them.",
)
_PROBE = Paper(
    "Lou, Jin, Wu, Xu, Gu, Farnoud. Active Ranking without Strong Stochastic Transitivity. NeurIPS 2022",
    (
        Figure(
            "",
            f"Duels until the order is declared, P[i, j] = 0.6, K = 10, δ = 0.01 {_PROGRAM}; `{_ORDER}`",
            (
                _duels("Probe-Rank", {"0.6, K = 10": Mean(61_418, 880)}),
                _duels("Probe-Rank-SE", {"0.6, K = 10": Mean(39_620, 555)}),
            ),
        ),
        Figure(
            "",
            f"The same on all instances {INDEPENDENT}; `{_ORDER}`",
            (
                _duels(
                    "Probe-Rank",
                    {
                        "0.6, K = 10": Mean(61_920, 372),
                        "BTL 0.3": Mean(35_482, 424),
                        "BTL 0.405": Mean(20_276, 110),
                    },
                ),
                _duels(
                    "Probe-Rank-SE",
                    {
                        "0.6, K = 10": Mean(39_078, 221),
                        "BTL 0.3": Mean(24_667, 158),
                        "BTL 0.405": Mean(14_169, 81),
                    },
                ),
                Statement(
                    "both are right",
                    always_right(_ORDER, "Probe-Rank", "Probe-Rank-SE", datasets=_EVERYWHERE, at_most=0.01),
                ),
            ),
        ),
        Figure(
            _WEAK,
            f"Gaps of 0.2 between neighbours, of 0.02 between others, K = 10 {INDEPENDENT}",
            (
                *(
                    counted(_WEAK, label, {"0.02": "gaps-others=0.02"}, {"0.02": mean})
                    for label, mean in (
                        ("MallowsMPR", Mean(513_347, 4665)),
                        ("Probe-Rank", Mean(17_364, 114)),
                        ("Probe-Rank-SE", Mean(13_267, 232)),
                    )
                ),
            ),
        ),
    ),
)
_SORTS = Paper(
    "Maystre, Grossglauser. Just Sort It! A Simple and Effective Approach to Active Preference Learning. ICML 2017",
    (
        Figure(
            _SORT,
            "BTL, log-scores U(0, (K + 1)/5), K = 200 (a figure, without numbers)",
            (
                *(
                    Statement(
                        f"{sort}: a nearer order than that of uniform pairs, after 8,000 votes",
                        nearer(_SORT, sort, "Uniform", votes=8000, dataset="BTL-arms=200"),
                    )
                    for sort in ("Quicksort", "Merge sort")
                ),
            ),
        ),
        Figure(
            "",
            f"K = 50, 1,000 votes: Kendall tau distance {INDEPENDENT}; `{_SORT}`",
            (
                Statement(
                    "uniform pairs 0.057, quicksort 0.047, merge sort 0.045, Swiss 0.039",
                    equal_distances(
                        _SORT,
                        {
                            "Uniform": Mean(0.057, 0.001),
                            "Quicksort": Mean(0.047, 0.001),
                            "Merge sort": Mean(0.045, 0.001),
                            "Swiss": Mean(0.039, 0.001),
                        },
                        1000,
                        "BTL-arms=50",
                    ),
                ),
            ),
        ),
    ),
    "Their distance is Spearman's footrule, and their orders are those of maximum likelihood; ours is Kendall's tau of "
    "the order of a Bradley–Terry fit with a weak prior.",
)
_NAMES = (
    *("Uniform", "Round-robin", "Quicksort", "Merge sort", "Arena pairs"),
    *("Swiss", "Hybrid-MST", "ASAP", "Crowd-BT"),
)
_AT_180 = (0.083, 0.084, 0.087, 0.079, 0.081, 0.074, 0.074, 0.072, 0.067)
_AT_900 = (0.0196, 0.0194, 0.0199, 0.0184, 0.0174, 0.0139, 0.0137, 0.0109, 0.0100)
_EXACT = (0.36, 0.34, 0.36, 0.40, 0.39, 0.51, 0.50, 0.58, 0.62)


def _distances(votes: int, error: float, stated: tuple[float, ...]) -> Statement:
    known = {label: Mean(tau, error) for label, tau in zip(_NAMES, stated, strict=True)}
    words = ", ".join(f"{label} {tau:g}" for label, tau in zip(_NAMES, stated, strict=True))
    return Statement(f"distance after {votes} votes: {words}", equal_distances(_VOTES, known, votes))


_BUDGETS = Paper(
    "Li, Mantiuk, Wang, Ling, Le Callet. Hybrid-MST. NeurIPS 2018; Mikhailiuk et al. Active Sampling for Pairwise "
    "Comparisons (ASAP). ICPR 2020; Chen et al. Pairwise Ranking Aggregation in a Crowdsourced Setting (Crowd-BT). "
    "WSDM 2013; Chiang et al. Chatbot Arena. ICML 2024",
    (
        Figure(
            _VOTES,
            f"Kendall tau distance of the order, BTL, K = 10, 400 runs {INDEPENDENT}",
            (
                _distances(180, 0.0021, _AT_180),
                _distances(900, 0.0013, _AT_900),
                Statement(
                    f"exact orders after 900 votes: "
                    f"{', '.join(f'{label} {100 * right:.0f} %' for label, right in zip(_NAMES, _EXACT, strict=True))}",
                    equal_shares(_VOTES, dict(zip(_NAMES, _EXACT, strict=True)), 900, 400),
                ),
            ),
        ),
    ),
    "The papers have no numbers for these instances. Not tested: Chiang et al. state how many votes make a win matrix "
    "precise to 0.2 (uniform pairs 6,800, their rule 4,400), which no result of ours measures.",
)
ORDERS = (_INSERTION, _PROBE, _SORTS, _BUDGETS)
