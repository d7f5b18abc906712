"""A ranking as lines of a terminal, as JSON, as CSV and as a table in LaTeX."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from duelbench.cli.terminal import one_line, table
from duelbench.proportions import percent
from duelbench.spreadsheets import escaped

if TYPE_CHECKING:
    from duelbench.preferences.counts import PairCounts
    from duelbench.votes.ranking import Ranking
    from duelbench.votes.strengths import Estimate
    from duelbench.votes.vote_table import VoteTable

Scale = Literal["log-odds", "elo"]
_HEADS: dict[Scale, str] = {"log-odds": "strength", "elo": "Elo"}
_UNITS: dict[Scale, str] = {"log-odds": "log-odds", "elo": "Elo"}
_WHOLE_ELO = 10
"""From this half length of an interval on, Elo has no decimals."""
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


def in_scale(estimate: Estimate, scale: Scale) -> list[float]:
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


def numbers(found: Ranking, counts: PairCounts, scale: Scale) -> dict[str, Any]:
    """Return everything, ready for JSON."""
    return {
        "arms": [row._asdict() for row in _rows(found, counts, scale)],
        **found.decisions(),
        "votes": float(counts.votes.sum() / 2),
        "ties": float(counts.ties.sum() / 2),
    }


def rows_text(found: Ranking, counts: PairCounts, scale: Scale) -> str:
    """Return the arms as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_Row._fields)
    for row in _rows(found, counts, scale):
        cells = [f"{each:.6g}" if isinstance(each, float) else each for each in row]
        writer.writerow([escaped(row.name), *cells[1:]])
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


def lines(found: Ranking, counts: PairCounts, scale: Scale = "log-odds", against: str | None = None) -> list[str]:
    """Return the table, what its columns are, differences from an arm, and what is decided."""
    elo = scale == "elo"
    header = ["arm", "tier", "rank", "expected wins", _HEADS[scale], *["LOS"] * elo, "votes", "ties"]
    rows = _rows(found, counts, scale)
    anchor = rows[1].name if against is None and elo and len(rows) == 2 else against
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
        _intervals_line(found),
        *_notes(found, counts),
        "",
        *([] if anchor is None else difference_lines(found, anchor, scale)),
        decided_line(found),
    ]


def difference_lines(found: Ranking, anchor: str, scale: Scale) -> list[str]:
    """Return the difference of each other arm from the anchor: a sentence for one arm, a table for several."""
    unit = _unit(scale)
    values = [
        (one_line(each.arm), _value(each.difference * unit, found.half_length * each.standard_error * unit, scale))
        for each in found.against(anchor)
    ]
    if len(values) == 1:
        name, value = values[0]
        return [f"{name} − {one_line(anchor)}: {value.replace(' ±', f' {_UNITS[scale]} ±')}."]
    head = f"{_UNITS[scale]} above {one_line(anchor)}"
    return [*table(["arm", head], values), "", f"Each difference has its own {100 * found.level:.4g} % interval.", ""]


def difference_numbers(found: Ranking, anchor: str, scale: Scale) -> list[dict[str, Any]]:
    """Return the differences in the unit of strengths, ready for JSON."""
    unit = _unit(scale)
    return [
        {key: value if isinstance(value, str) else _known(value * unit) for key, value in each._asdict().items()}
        for each in found.against(anchor)
    ]


def _value(value: float, half: float, scale: Scale) -> str:
    """Return a number with half the length of its interval, or its standard error: both may be NaN."""
    if math.isnan(value):
        return "—"
    digits = 2 if scale == "log-odds" else 1 if half < _WHOLE_ELO else 0
    return f"{value:+z.{digits}f}" + ("" if math.isnan(half) else f" ± {half:.{digits}f}")


def _strength(row: _Row, found: Ranking, scale: Scale) -> str:
    """Return log-odds with a standard error, or Elo with half the length of an interval."""
    error = math.nan if row.standard_error is None else row.standard_error
    return _value(row.strength, error * (found.half_length if scale == "elo" else 1.0), scale)


def _what_strength_is(found: Ranking, scale: Scale) -> str:
    if scale == "elo":
        level = f"{100 * found.level:.4g} %"
        return f"LOS: the probability to be better than the next arm; Elo: Bradley–Terry, with {level} intervals"
    return "strength: Bradley–Terry log-odds with standard errors"


def order_lines(votes: VoteTable, order: Estimate | None, scale: Scale, found: Ranking) -> list[str]:
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
        half = found.half_length * error
        interval = _value(gain, half, scale).replace(" ±", f" {_UNITS[scale]} ±")
        if scale == "elo" or abs(gain) > half:
            lines.append(f"The first side gains {interval} ({100 * found.level:.4g} % interval).")
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


def rank_range(best: int, worst: int) -> str:
    """Return the ends of a rank interval."""
    return str(best) if best == worst else f"{best}–{worst}"


def _intervals_line(found: Ranking) -> str:
    level = f"{100 * found.level:.4g} %"
    dependent = "if votes are independent" if found.clusters == "none" else f"{found.number:,} {found.clusters}"
    match found.intervals:
        case "simultaneous":
            return f"rank: all intervals together contain the true ranks with probability {level} ({dependent})"
        case "marginal":
            return (
                f"rank: the interval of each arm contains its true rank with probability {level} ({dependent}); tiers "
                "and what is decided hold for all arms together"
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
