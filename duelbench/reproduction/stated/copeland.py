"""What is stated in Zoghi, Karnin, Whiteson & de Rijke, *Copeland Dueling Bandits*, NIPS 2015."""

from __future__ import annotations

from duelbench.reproduction.measures import linear, lower
from duelbench.reproduction.stated import Figure, Paper, Statement

_CCB_ALL = ("RUCB", "RankEl", "PBR", "SCB", "SAVAGE")
_SCALE = "three-winners-arms={}"

PAPER = Paper(
    "Zoghi, Karnin, Whiteson, de Rijke. Copeland Dueling Bandits. NIPS 2015",
    (
        Figure(
            "fig-ccb-1",
            "Fig. 1: MSLR, K = 5, non-Condorcet (the paper's regret is twice ours)",
            (
                Statement("CCB outperforms all other algorithms", lower("fig-ccb-1", "CCB", *_CCB_ALL)),
                Statement("RUCB's regret grows linearly", linear("fig-ccb-1", "RUCB")),
            ),
        ),
        Figure(
            "fig-ccb-scale",
            "Appendix A: scalability (our instances)",
            (
                Statement(
                    "with few arms CCB is better (K = 10)",
                    lower("fig-ccb-scale", "CCB", "SCB", dataset=_SCALE.format(10)),
                ),
                Statement(
                    "with very many arms SCB is better (K = 500)",
                    lower("fig-ccb-scale", "SCB", "CCB", dataset=_SCALE.format(500)),
                    "The instances and T are ours: with K = 500 neither has settled on a winner by T. SCB forgets all "
                    "it knows from one of its rounds to the next, and decides pairs at a stricter level than CCB.",
                ),
            ),
        ),
    ),
)
