"""What is stated in Li, Markov, de Rijke & Zoghi, *MergeDTS*, TOIS 2020, and the slides of its authors."""

from __future__ import annotations

from duelbench.analysis.reproduction.measures import as_read, grows, lower, ordered
from duelbench.analysis.reproduction.stated import Figure, Paper, Statement

_READ = 1.1
_COSTLY = (
    "The standard deviation of D-TS's regret is half of its mean: some 1,000 runs, which take hours, would decide the "
    "agreement within 10 %."
)
_LOST = (
    "One of 32 runs of MergeRUCB lost the winner, and its linear regret dominates the mean at t = 1e8. More runs would "
    "estimate how often that happens; how many of the authors' runs lost it is not known."
)
_SCALE = "flat-order-arms={}"
_SIZES = {_SCALE.format(64): 64, _SCALE.format(1000): 1000}
_READINGS = (
    "The numbers are read from a vector figure in the authors' slides of 2018; agreement is up to 10 %. Those of D-TS "
    "check our implementation. The slides do not give MergeRUCB's C and batch size: these are ours. With the α of the "
    "experiments, an algorithm that eliminates arms for good may lose the winner among 136 rankers. A run in which it "
    "does has linear regret and would dominate the mean at t = 1e8, so MergeDTS is read where its curve becomes flat. "
    "That regret is O(K log T) is tested by its growth with K at one T, on our instances: a power up to 1.25 for an "
    "algorithm of order K log K, as MergeRUCB's C grows with K², and from 1.5 on for one that compares all pairs."
)

PAPER = Paper(
    "Li, Markov, de Rijke, Zoghi. MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation. TOIS 2020",
    (
        Figure(
            "fig-mergedts-1",
            "MSLR, navigational, K = 136 (slides)",
            (
                Statement(
                    "MergeDTS has 5180, 8140, 11,940 at t = 1e5, 2e5, 5e5 and is flat at 12,190 soon after",
                    as_read("fig-mergedts-1", "MergeDTS", {1e-3: 5180, 2e-3: 8140, 5e-3: 11_940, 0.01: 12_190}, _READ),
                ),
                Statement(
                    "MergeRUCB has 5980, 9910, 17,800 at t = 1e5, 2e5, 5e5 and is flat at 21,700",
                    as_read("fig-mergedts-1", "MergeRUCB", {1e-3: 5980, 2e-3: 9910, 5e-3: 17_800, 1.0: 21_700}, _READ),
                    _LOST,
                ),
                Statement(
                    "D-TS has 3520, 13,530, 16,800 at t = 1e5, 1e6, 1e8",
                    as_read("fig-mergedts-1", "D-TS", {1e-3: 3520, 0.01: 13_530, 1.0: 16_800}, _READ),
                    _COSTLY,
                ),
                Statement(
                    "MergeDTS has the least regret of those with a guarantee for every Condorcet winner",
                    lower("fig-mergedts-1", "MergeDTS", "MergeRUCB", "MergeRUCB, theory", "D-TS", "RMED1"),
                    _LOST,
                ),
            ),
        ),
        Figure(
            "fig-mergedts-2",
            "Self-Sparring, to t = 1e6 (slides)",
            (
                Statement(
                    "Self-Sparring has 3113 and 8000 at t = 1e5, 1e6",
                    as_read("fig-mergedts-2", "Self-Sparring", {0.1: 3113, 1.0: 8000}, _READ),
                ),
            ),
        ),
        Figure(
            "fig-merge-scale",
            "Regret against K (our instances, gaps of 0.3)",
            (
                Statement("MergeRUCB's regret is O(K log T)", grows("fig-merge-scale", "MergeRUCB", _SIZES, high=1.25)),
                Statement("MergeDTS's regret is O(K log T)", grows("fig-merge-scale", "MergeDTS", _SIZES, high=1.25)),
                Statement("RUCB's grows with K²", grows("fig-merge-scale", "RUCB", _SIZES, low=1.5)),
                Statement(
                    "with a thousand arms MergeDTS has less regret than MergeRUCB, and this less than RUCB",
                    ordered("fig-merge-scale", "MergeDTS", "MergeRUCB", "RUCB", dataset=_SCALE.format(1000)),
                ),
            ),
        ),
    ),
    _READINGS,
)
