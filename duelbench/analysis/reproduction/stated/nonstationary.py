"""What is stated in Kolpaczki, Bengs & Hüllermeier, *Non-Stationary Dueling Bandits*, arXiv 2202.00935, 2022."""

from __future__ import annotations

from duelbench.analysis.reproduction.measures import lower
from duelbench.analysis.reproduction.stated import Figure, Paper, Statement

_STRONG, _WEAK = "fig-mdb-strong", "fig-mdb-weak"
_READINGS = (
    "Only the abstract of the paper and the authors' code were available to us, so no numbers are compared. The paper "
    "claims that the two meta-algorithms adapt any dueling bandit algorithm to changing winners, DETECT for weak and "
    "MDB for strong regret, and that Beat the Winner Reset needs to know neither the number of changes nor T. "
    "We test whether they do better than their base algorithms with ten segments. The instances are those of the "
    "code, which are harder for DETECT than ours: p_min is 0.55 there, and 0.8 in our figure of weak regret."
)

PAPER = Paper(
    "Kolpaczki, Bengs, Hüllermeier. Non-Stationary Dueling Bandits. arXiv 2202.00935, 2022",
    (
        Figure(
            _STRONG,
            "binary strong regret, M segments, K = 10",
            (
                Statement(
                    "MDB adapts RUCB: with M = 10 it has less regret than RUCB alone",
                    lower(_STRONG, "MDB-10, RUCB", "RUCB", dataset="M-10"),
                    "RUCB's regret has a heavy tail here: a decision would need about 1,000 runs.",
                ),
                Statement(
                    "MDB adapts WS-S: with M = 10 it has less regret than WS-S alone",
                    lower(_STRONG, "MDB-10, WS-S", "WS-S", dataset="M-10"),
                ),
            ),
        ),
        Figure(
            _WEAK,
            "binary weak regret, M segments, K = 10",
            (
                Statement(
                    "DETECT adapts Beat the Winner: with M = 10 it has less regret than BtW alone",
                    lower(_WEAK, "DETECT, BtW", "BtW", dataset="M-10"),
                ),
                Statement(
                    "DETECT adapts Winner Stays: with M = 10 it has less regret than WS-W alone",
                    lower(_WEAK, "DETECT, WS-W", "WS-W", dataset="M-10"),
                ),
                Statement(
                    "with M = 10 Beat the Winner Reset has less regret than Beat the Winner",
                    lower(_WEAK, "BtWR", "BtW", dataset="M-10"),
                ),
            ),
        ),
    ),
    _READINGS,
)
