"""The papers in the order of the report: on regret, on the best arm, on orders."""

from __future__ import annotations

from duelbench.analysis.reproduction.stated import (
    batched,
    copeland,
    dkwt,
    double_thompson,
    ecw_rmed,
    heckel,
    maxing,
    merging,
    nonstationary,
    ordering,
    parwis,
    pocowista,
    relative_exponential,
    savage,
    testification,
    winner_stays,
)

REGRET = (
    double_thompson.PAPER,
    ecw_rmed.PAPER,
    copeland.PAPER,
    batched.PAPER,
    savage.PAPER,
    winner_stays.PAPER,
    merging.PAPER,
    relative_exponential.PAPER,
    nonstationary.PAPER,
)
IDENTIFICATION = (
    testification.PAPER,
    heckel.PAPER,
    maxing.PAPER,
    dkwt.PAPER,
    pocowista.PAPER,
    parwis.PAPER,
    *ordering.PAPERS,
)
PAPERS = (*REGRET, *IDENTIFICATION)
