"""Statements of papers about their experiments, in numbers or words, and the papers in the order of the report.

Statements are paraphrased. If a paper says "comparable" or "almost the same", the measure has the factor that we
accept. ``otherwise`` is printed if they disagree, or if it is undecided whether they do: it says why.
"""

from __future__ import annotations

from duelbench.analysis.reproduction.stated.best_arms import DKWT, HECKEL, MAXING, NTS, PARWIS, POCOWISTA
from duelbench.analysis.reproduction.stated.copeland_regret import BATCHED, CCB, DTS, ECW, SAVAGE
from duelbench.analysis.reproduction.stated.orders import ORDERS
from duelbench.analysis.reproduction.stated.other_regret import MDB, MERGE, REX3, WS

_REGRET = (
    DTS,
    ECW,
    CCB,
    BATCHED,
    SAVAGE,
    WS,
    MERGE,
    REX3,
    MDB,
)
_IDENTIFICATION = (
    NTS,
    HECKEL,
    MAXING,
    DKWT,
    POCOWISTA,
    PARWIS,
    *ORDERS,
)
PAPERS = (*_REGRET, *_IDENTIFICATION)
