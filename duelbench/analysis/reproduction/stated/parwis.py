"""What the authors' program of Sheth & Rajkumar, *PARWiS*, ICDM 2021, finds at small budgets."""

from __future__ import annotations

from duelbench.analysis.reproduction.counts import named_as_often
from duelbench.analysis.reproduction.stated import Figure, Paper, Statement

_FIGURE = "fig-parwis-1"
_BUDGETS = tuple(range(10, 90, 10))
_PARWIS = (0.238, 0.331, 0.395, 0.432, 0.451, 0.489, 0.520, 0.550)
_SELECT = (0.259, 0.266, 0.375, 0.353, 0.408, 0.427, 0.469, 0.484)

PAPER = Paper(
    "Sheth, Rajkumar. PARWiS: Winner Determination from Active Pairwise Comparisons under a Shoestring Budget. "
    "ICDM 2021",
    (
        Figure(
            _FIGURE,
            "How often the best of ten arms is named (their program, run again; 3,000 runs)",
            (
                Statement(
                    "PARWiS, after K, 2K, … 8K votes: 23.8, 33.1, 39.5, 43.2, 45.1, 48.9, 52.0, 55.0 %",
                    named_as_often(
                        _FIGURE,
                        {f"{votes}": right for votes, right in zip(_BUDGETS, _PARWIS, strict=True)},
                        {f"{votes}": ("PARWiS", votes) for votes in _BUDGETS},
                        runs=3000,
                        within=0.05,
                    ),
                    "Their program takes arms in the order of the scores, ours in a random one, which matters most "
                    "while each arm has been in one or two duels.",
                ),
                Statement(
                    "SELECT, with 1, 2, … 8 duels a pair: 25.9, 26.6, 37.5, 35.3, 40.8, 42.7, 46.9, 48.4 %",
                    named_as_often(
                        _FIGURE,
                        {f"{m}": right for m, right in zip(range(1, 9), _SELECT, strict=True)},
                        {f"{m}": (f"SELECT-duels_per_pair={m}", 80) for m in range(1, 9)},
                        runs=3000,
                        within=0.05,
                    ),
                    "An even number of duels may end in a tie, which the two break differently.",
                ),
            ),
        ),
    ),
    "Only the abstract of the paper was available to us. The authors' program takes arms in the order of the scores, "
    "ours in a random order.",
)
