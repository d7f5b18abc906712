"""Decisions from real comparisons: reading votes, ranks, advice, and sessions with judges.

The laboratory imports it in one place, for datasets that are made of votes (``sources/datasets``).
"""
