"""What is stated in Agarwal, Ghuge & Nagarajan, *Batched Dueling Bandits*, ICML 2022."""

from __future__ import annotations

from duelbench.reproduction.measures import close, lower, ordered
from duelbench.reproduction.stated import Figure, Paper, Statement

_BATCHED = {"a": "Six rankers", "b": "Sushi", "c": "SYN-BTL", "d": "SYN-CD"}
_OTHER_READING = "SCOMP2, all duels"
_READINGS = (
    "How these experiments eliminate is not known: the threshold that section 5 prints, log(Tδ), is negative for its "
    "δ = 1/(TK²). PCOMP, SCOMP and SCOMP2 stand for the reading nearest to its wording and to the pseudo-code: "
    "log(1/δ), the duels of one batch, and the switch to PCOMP by Hoeffding radii (`elimination: kl`, `delta: "
    f"experiments`). `{_OTHER_READING}` is SCOMP2 by another: the threshold is −log(Tδ) = log(K²), and the evidence of "
    "all duels so far decides, also on the switch (`elimination: kl-total`, `delta: 1/K^2`). It was found among some "
    "thirty that we tried, by what the paper says of its figures, so that where it agrees this is partly our choice "
    "and no evidence that the authors ran it. Its rows count in the total above. No theory stands behind so low a "
    "threshold: it drops the winner in about one run of ten on six rankers."
)
_ONE_BATCH = (
    "By the reading nearest to the wording of section 5 this is not reproduced, and two things cost most. Where the "
    "seeds miss the winner, SCOMP and SCOMP2 go on until an arm is 3 and 5 Hoeffding radii above all seeds, or above "
    "the candidate, in one batch: the lower quantiles, presumably of runs whose seeds have it, are several times lower "
    "than the mean. And an arm that loses by Δ goes when a single batch has about log(TK²) / (2Δ²) duels of the pair, "
    "whereas RMED1 adds up the evidence of all duels. Another δ alone does not explain the difference: between 1e-5 "
    "and 0.9 none that we tried on six rankers and sushi comes near RMED1."
)
_DROPPED = (
    f"By the other reading it is missed by less. The median of `{_OTHER_READING}` is about RMED1's or below (`q50` in "
    "`summary.csv`); a few runs raise its mean, above all those that drop the winner."
)


def _batched(letter: str) -> Figure:
    name = f"fig-batched-1{letter}"
    real = letter in "ab"
    wide = (
        tuple(
            Statement(f"{label} considerably outperforms BTM", lower(name, label, "BTM", factor=0.5), _ONE_BATCH)
            for label in ("PCOMP", "SCOMP")
        )
        if real
        else tuple(
            Statement(f"{label} degrades with K: SCOMP2 is better", lower(name, "SCOMP2", label))
            for label in ("PCOMP", "SCOMP")
        )
    )
    return Figure(
        name,
        f"Fig. 1({letter}): {_BATCHED[letter]}",
        (
            Statement("SCOMP2 performs comparably to RMED1", close(name, "SCOMP2", "RMED1", 2.0), _ONE_BATCH),
            Statement(
                "SCOMP2 performs comparably to RMED1 — by another reading of the elimination rule",
                close(name, _OTHER_READING, "RMED1", 2.0),
                _DROPPED,
            ),
            Statement("SCOMP2 beats BTM", lower(name, "SCOMP2", "BTM")),
            Statement("SCOMP2 beats RUCB (on three of the four)", lower(name, "SCOMP2", "RUCB"), _ONE_BATCH),
            *wide,
        ),
    )


_SETS = {"six-rankers": "Six rankers", "sushi16": "Sushi", "btl-uniform": "SYN-BTL", "hard-instance": "SYN-CD"}

PAPER = Paper(
    "Agarwal, Ghuge, Nagarajan. Batched Dueling Bandits. ICML 2022",
    (
        *map(_batched, _BATCHED),
        Figure(
            "fig-batched-2",
            "Fig. 2: SCOMP2 against the number of batches",
            (
                *(
                    Statement(
                        f"regret falls as B grows, {title}",
                        ordered("fig-batched-2", "B = 16", "B = 8", "B = 2", dataset=label),
                    )
                    for label, title in _SETS.items()
                ),
                Statement(
                    "with B = 16 nearly RMED1's regret, SYN-BTL",
                    close("fig-batched-2", "B = 16", "RMED1", 1.25, "btl-uniform"),
                    _ONE_BATCH,
                ),
                Statement(
                    "with B = 16 approaches RMED1, SYN-CD",
                    close("fig-batched-2", "B = 16", "RMED1", 2.0, "hard-instance"),
                    _ONE_BATCH,
                ),
            ),
        ),
    ),
    _READINGS,
)
