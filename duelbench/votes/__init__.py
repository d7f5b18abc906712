"""Learn from real comparisons: read votes, rank arms, advise on algorithms, and run sessions with judges.

The simulation imports this package only in ``sources/datasets``, for datasets that are made of votes.
"""
