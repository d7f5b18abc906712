"""A ranking as lines of a terminal, as JSON, as CSV and as a table in LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from duelbench.cli.terminal import one_line, table
from duelbench.proportions import percent

if TYPE_CHECKING:
    from duelbench.preferences.counts import PairCounts
    from duelbench.votes.fragility import Fragility
    from duelbench.votes.judge_model import Estimates
    from duelbench.votes.ranking import Ranking
    from duelbench.votes.vote_table import VoteTable

Scale = Literal["log-odds", "elo"]
_HEADS: dict[Scale, str] = {"log-odds": "strength", "elo": "Elo"}
_MOST_LISTED = 12
"""Decided ranks and sets that are named in the text."""
_TIES = {"drop": "without ties", "half": "with ties as halves"}


class _Row(NamedTuple):
    """An arm of the ranking."""

    name: str
    tier: int
    best_rank: int
    worst_rank: int
    strength: float
    standard_error: float | None
    superiority: float | None
    expected_wins: float
    wins: float
    losses: float
    ties: float


def _unit(scale: Scale) -> float:
    return 400.0 / math.log(10.0) if scale == "elo" else 1.0


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def in_scale(estimate: Estimates, scale: Scale) -> list[float]:
    """Return an estimate and its standard error in the unit of strengths."""
    return [float(each) * _unit(scale) for each in estimate]


def _rows(found: Ranking, counts: PairCounts, scale: Scale) -> list[_Row]:
    """Return the arms, best first."""
    unit = _unit(scale)
    wins, losses, ties = counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
    return [
        _Row(
            found.names[arm],
            tier,
            int(found.ranks[arm, 0]),
            int(found.ranks[arm, 1]),
            float(found.strengths[arm]) * unit,
            _known(found.errors[arm] * unit),
            _known(found.superiority[arm]),
            float(found.expected_wins[arm]),
            float(wins[arm]),
            float(losses[arm]),
            float(ties[arm]),
        )
        for tier, arms in enumerate(found.tiers, start=1)
        for arm in arms
    ]


def numbers(found: Ranking, counts: PairCounts, fragile: Sequence[Fragility | None], scale: Scale) -> dict[str, Any]:
    """Return everything, ready for JSON."""
    return {
        "arms": [row._asdict() for row in _rows(found, counts, scale)],
        **found.decisions(),
        "fragility": [
            None
            if each is None
            else {
                "change": each.change,
                "votes": each.votes,
                "of": each.total,
                "winner": found.names[each.winner],
                "rival": found.names[each.rival],
                "cells": [[found.names[i], found.names[j], votes] for i, j, votes in each.cells],
                "ties": [[found.names[i], found.names[j], votes] for i, j, votes in each.ties],
            }
            for each in fragile
        ],
        "votes": float(counts.votes.sum() / 2),
        "ties": float(counts.ties.sum() / 2),
    }


def rows_text(found: Ranking, counts: PairCounts, scale: Scale) -> str:
    """Return the arms as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_Row._fields)
    for row in _rows(found, counts, scale):
        writer.writerow([f"{each:.6g}" if isinstance(each, float) else each for each in row])
    return text.getvalue()


def latex(found: Ranking, counts: PairCounts, scale: Scale = "log-odds") -> str:
    """Return the arms as a ``tabular`` with the rules of booktabs; a line ends each tier."""
    from duelbench.markup import latex_row, latex_table, latex_text

    body, tier = [], 1
    for row in _rows(found, counts, scale):
        if row.tier > tier:
            tier = row.tier
            body.append(r"\midrule")
        strength = _strength(row, found, scale).removeprefix("+").replace("±", r"\pm")
        cells = [
            latex_text(row.name.replace("$", r"\$")),
            rank_range(row.best_rank, row.worst_rank).replace("–", "--"),
            f"{row.expected_wins:.3f}",
            f"${strength}$",
            f"{row.wins + row.losses + row.ties:.6g}",
        ]
        body.append(latex_row(cells))
    head = latex_row(["arm", "rank", "expected wins", _HEADS[scale], "votes"])
    return "\n".join([r"% \usepackage{booktabs}", *latex_table("lrrrr", [head], body), ""])


def lines(
    found: Ranking,
    counts: PairCounts,
    fragile: Sequence[Fragility | None],
    scale: Scale = "log-odds",
    *,
    judged: bool = False,
    repeated: bool = False,
) -> list[str]:
    """Return the table, what its columns are, what is decided, and how fragile the winner is.

    ``judged`` is whether the ranking is by the model of judges, in which ties count, and ``repeated`` whether an unused
    column may say which votes are dependent.
    """
    changeable = "votes without ties" if found.ties == "drop" and not judged else "votes"
    elo = scale == "elo"
    header = ["arm", "tier", "rank", "expected wins", _HEADS[scale], *["LOS"] * elo, "votes", "ties"]
    rows = _rows(found, counts, scale)
    cells = [
        [
            one_line(row.name),
            str(row.tier),
            rank_range(row.best_rank, row.worst_rank),
            f"{row.expected_wins:.3f}",
            _strength(row, found, scale),
            *["" if row.superiority is None else percent(row.superiority)] * elo,
            f"{row.wins + row.losses + row.ties:,.6g}",
            f"{row.ties:,.6g}",
        ]
        for row in rows
    ]
    prior = ", drawn to 0 by a prior of one win and one loss of each arm" if found.ghosts else ", by maximum likelihood"
    return [
        *table(header, cells, drop=("ties", "votes", _HEADS[scale], "expected wins")),
        "",
        f"expected wins: the mean over the other arms of the share of votes won, {_TIES[found.ties]}; "
        f"{_what_strength_is(found, scale)}, relative to the mean of {_reference(found)}{prior}",
        _intervals_line(found, repeated),
        *_notes(found, counts),
        "",
        *(_difference(rows, found) if elo and len(rows) == 2 and len(found.groups) == 1 else []),
        decided_line(found),
        *fragility_lines(fragile, found.names, votes=changeable),
    ]


def _difference(rows: Sequence[_Row], found: Ranking) -> list[str]:
    """Return the difference of two arms in Elo, which have opposite strengths, with its interval."""
    first, second = rows
    half = "" if first.standard_error is None else f" ± {2 * first.standard_error * _normal(found.level):.0f}"
    return [f"{one_line(first.name)} − {one_line(second.name)}: {first.strength - second.strength:+z.0f} Elo{half}."]


def _strength(row: _Row, found: Ranking, scale: Scale) -> str:
    """Return log-odds with a standard error, or Elo with half the length of an interval."""
    if scale == "elo":
        error = None if row.standard_error is None else row.standard_error * _normal(found.level)
        return f"{row.strength:+z.0f}" + ("" if error is None else f" ± {error:.0f}")
    return f"{row.strength:+z.2f}" + ("" if row.standard_error is None else f" ± {row.standard_error:.2f}")


def _normal(level: float) -> float:
    """Return half the length of a normal interval in standard errors."""
    return NormalDist().inv_cdf((1 + level) / 2)


def _what_strength_is(found: Ranking, scale: Scale) -> str:
    if scale == "elo":
        level = f"{100 * found.level:.4g} %"
        return f"LOS: the probability to be better than the next arm; Elo: Bradley–Terry, with {level} intervals"
    return "strength: Bradley–Terry log-odds with standard errors"


def order_lines(votes: VoteTable, order: Estimates | None, scale: Scale, level: float) -> list[str]:
    """Return sentences on votes in both orders, and on what the arm shown first gains, where that is significant."""
    lines = []
    pairs, differ = votes.in_both_orders()
    if pairs:
        share = percent(differ / pairs)
        some = "1 pair of votes shows" if pairs == 1 else f"{pairs:,} pairs of votes show"
        lines.append(
            f"{some} two arms in both orders; {differ:,} ({share}) {'has' if differ == 1 else 'have'} two results."
        )
    if order is not None:
        gain, error = in_scale(order, scale)
        half = _normal(level) * error
        interval = f"{gain:+.0f} Elo ± {half:.0f}" if scale == "elo" else f"{gain:+.2f} log-odds ± {half:.2f}"
        if scale == "elo" or abs(gain) > half:
            lines.append(f"The first side gains {interval} ({100 * level:.4g} % interval).")
    return lines


def _reference(found: Ranking) -> str:
    """Return what the strengths are relative to."""
    arms = "its group" if len(found.groups) > 1 else "the arms"
    return f"{arms} without those of few votes" if found.few.any() else arms


def _notes(found: Ranking, counts: PairCounts) -> list[str]:
    """Return sentences on groups of arms that never met, and on arms with few votes."""
    from duelbench.votes.ranking import FEW

    names = [one_line(name) for name in found.names]
    lines = []
    if len(found.groups) > 1:
        votes = "votes without ties" if found.ties == "drop" and counts.ties.any() else "votes"
        some = "; ".join(_listed([names[arm] for arm in group]) for group in found.groups[:_MOST_LISTED])
        more = f"; and {len(found.groups) - _MOST_LISTED:,} more" if len(found.groups) > _MOST_LISTED else ""
        lines.append(f"No {votes} connect these groups of arms, so nothing is decided between them: {some}{more}.")
    if found.few.any():
        few = _listed([names[arm] for arm in found.few.nonzero()[0]])
        lines.append(f"Arms with fewer than {FEW} votes come last: {few}. --arms {(~found.few).sum()} leaves them out.")
    return lines


def fragility_lines(
    fragile: Sequence[Fragility | None], names: Sequence[str], by: str = "", votes: str = "votes without ties"
) -> list[str]:
    """Return a sentence on how few votes would change the winner, if any would.

    ``by`` is what makes the winner, ``votes`` which votes count.
    """
    changes = [each for each in fragile if each is not None]
    if not changes:
        return []
    parts = []
    for each in changes:
        verb = "dropping" if each.change == "drop" else "turning"
        number = f"{each.votes:,.6g} of {each.total:,.6g} {votes} ({_percent(each.votes / each.total)})"
        rival, winner = one_line(names[each.rival]), one_line(names[each.winner])
        parts.append(f"{verb} {number} would put {rival} above {winner}{by}")
    first, *rest = parts
    if rest and (changes[0].winner, changes[0].rival) == (changes[1].winner, changes[1].rival):
        head, _, tail = first.partition(" would")
        turned = f"{changes[1].votes:,.6g}"
        return [f"{head[:1].upper()}{head[1:]}, or turning {turned}, would{tail}."]
    text = "; ".join(parts)
    return [f"{text[:1].upper()}{text[1:]}."]


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else "all"


def rank_range(best: int, worst: int) -> str:
    """Return the ends of a rank interval."""
    return str(best) if best == worst else f"{best}–{worst}"


def _intervals_line(found: Ranking, repeated: bool) -> str:
    level = f"{100 * found.level:.4g} %"
    independent = "if votes are independent" if repeated else "independent votes"
    dependent = independent if found.clusters == "none" else f"{found.number:,} {found.clusters}"
    match found.intervals:
        case "simultaneous":
            return f"rank: all intervals together contain the true ranks with probability {level} ({dependent})"
        case "marginal":
            return (
                f"rank: the interval of each arm contains its true rank with probability {level} ({dependent}); tiers "
                "and what is decided hold for all arms together"
            )
        case _:
            return (
                f"rank: {level} of the ranks by expected wins in bootstrap samples ({dependent}), too short for arms "
                "of nearly equal strength; tiers and what is decided are by the intervals of all arms together"
            )


def decided_line(found: Ranking) -> str:
    """Return the sentence on the ranks and sets that are decided."""
    ranks = [str(each) for each in found.decided_ranks]
    tops = [f"the top {each}" for each in found.decided_tops]
    if not ranks and not tops:
        return "No rank is decided."
    decisions = []
    if ranks:
        decisions.append(f"{'rank' if len(ranks) == 1 else 'ranks'} {_listed(ranks)}")
    if tops:
        decisions.append(_listed(tops))
    return f"Decided: {'; '.join(decisions)}."


def _listed(names: list[str]) -> str:
    some = names[:_MOST_LISTED]
    return ", ".join(some) + (f" and {len(names) - len(some)} more" if len(names) > len(some) else "")
