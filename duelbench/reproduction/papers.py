"""The five papers, in the order of the report."""

from __future__ import annotations

from duelbench.reproduction.stated import batched, copeland, double_thompson, ecw_rmed, savage

PAPERS = (double_thompson.PAPER, ecw_rmed.PAPER, copeland.PAPER, batched.PAPER, savage.PAPER)
