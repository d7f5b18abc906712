"""The model of judges in ``duelbench rank``: whether the data support it, and what it says of each judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duelbench.cli.terminal import one_line, table

if TYPE_CHECKING:
    from duelbench.votes.judge_model import JudgeFit, JudgePriors
    from duelbench.votes.judge_tests import HeldOut
    from duelbench.votes.vote_table import VoteTable

MOST_OFFERED = 20_000
"""With more rows the model is not tried unless it is asked for: it takes some seconds."""
FEWEST_GROUPS = 20
"""With fewer groups of votes there is too little to hold out."""
MOST_LISTED = 20


@dataclass(frozen=True)
class Judged:
    """How well the model of judges predicts held-out votes, and its fit if the ranking uses it."""

    held_out: HeldOut | None
    fit: JudgeFit | None = None

    @classmethod
    def of(cls, votes: VoteTable) -> Judged:
        """Return the model of judges fitted to votes, with standard deviations between judges learned from them."""
        from duelbench.votes.judge_model import estimated_priors, fit_judges

        priors = estimated_priors(votes)
        return cls(_held_out(votes, priors), fit_judges(votes, priors))

    @classmethod
    def offer(cls, votes: VoteTable) -> Judged | None:
        """Return how well the model would do, where the votes of several judges are few enough to try it quickly."""
        from duelbench.votes.judge_model import JudgePriors

        if len(votes) > MOST_OFFERED or len(votes.judges) < 2:
            return None
        return cls(_held_out(votes, JudgePriors(order=0.0)))


def _held_out(votes: VoteTable, priors: JudgePriors) -> HeldOut | None:
    import numpy as np

    from duelbench.votes.judge_tests import held_out

    return None if len(np.unique(votes.group)) < FEWEST_GROUPS else held_out(votes, priors)


def judge_lines(judged: Judged) -> list[str]:
    """Return a table of the judges, those that answer against the majority, and whether the data support the model."""
    tried, fit = judged.held_out, judged.fit
    if fit is None:
        if tried is None or not tried.supported:
            return []
        return ["", f"Judges differ: --judges model {_prediction(tried)}."]
    reliability, order, habit = fit.discrimination, fit.order_effect, fit.tie_habit
    by_votes = (-fit.votes).argsort(kind="stable")[:MOST_LISTED]
    cells = [
        [
            one_line(fit.judges[judge]),
            f"{fit.votes[judge]:,.6g}",
            *(f"{each.value[judge]:+z.2f} ± {each.error[judge]:.2f}" for each in (reliability, order, habit)),
        ]
        for judge in by_votes
    ]
    rest = len(fit.judges) - len(cells)
    lines = [
        "",
        *table(["judge", "votes", "reliability", "first shown", "tie habit"], cells, drop=("tie habit", "first shown")),
        *([f"and {rest:,} more judges; --json has all"] if rest else []),
        "",
        "reliability: 1 is the average judge, 0 a coin; first shown: log-odds that the arm shown first gains; tie "
        "habit: log-odds of a tie relative to the average judge; all with standard errors",
    ]
    if fit.opposed:
        names = ", ".join(map(one_line, fit.opposed))
        lines.append(f"Answer against the majority: {names}. Check these votes; they are not reversed.")
    if tried is not None:
        lines.append(
            f"The model of judges {_prediction(tried)}."
            if tried.supported
            else "The data do not support the model of judges: it does not predict held-out votes significantly better "
            f"({tried.alike:.4f} → {tried.judges:.4f} ± {tried.error:.4f} nats per vote)."
        )
    return lines


def _prediction(tried: HeldOut) -> str:
    return (
        f"predicts held-out votes better (log-loss {tried.alike:.4f} → {tried.judges:.4f} ± {tried.error:.4f} nats per "
        "vote)"
    )


def judge_numbers(judged: Judged) -> dict[str, Any]:
    """Return everything, ready for JSON."""
    tried, fit = judged.held_out, judged.fit
    estimates = {} if fit is None else {
        "reliability": fit.discrimination, "first_shown": fit.order_effect, "tie_habit": fit.tie_habit
    }  # fmt: skip
    return {
        "held_out": None if tried is None else {**tried._asdict(), "supported": tried.supported},
        "judges": None
        if fit is None
        else [
            {
                "name": name,
                "votes": float(fit.votes[judge]),
                **{key: [float(each.value[judge]), float(each.error[judge])] for key, each in estimates.items()},
            }
            for judge, name in enumerate(fit.judges)
        ],
        "opposed": [] if fit is None else list(fit.opposed),
    }
