"""Decisions from real comparisons: reading votes, posteriors, ranks, advice and sessions with judges.

It uses the laboratory, which imports it in two places only: the datasets that are made of votes (``sources/datasets``)
and the recommendation rule ``posterior`` (``engine/recommendation``).
"""
