"""The agreement of judges, and those who differ, as lines of a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duelbench.cli.terminal import one_line, shortened, table
from duelbench.proportions import percent, percent_with_interval

if TYPE_CHECKING:
    from duelbench.votes.judge_tests import Agreement, Share, Striking

_LONGEST_NAME = 40
JUDGES_LEGEND = (
    "first shown: the share of votes, without ties, for the arm shown first; with the others: the share of votes that "
    "agree with the most frequent answer of the other judges, if that is unique (Wilson's 95 % intervals)."
)
"""What the columns of ``judge_table`` are."""


def agreement_lines(found: Agreement) -> list[str]:
    """Return sentences on how far judges agree, and on those who differ from the others."""
    lines = []
    if found.equal is not None:
        said = f"On {_number(found.pairs, 'pair')} with several judges, {percent(found.equal)}"
        said += " ({:.0f}–{:.0f})".format(*(100 * end for end in found.equal_interval)) if found.equal_interval else ""
        said += " of votes agree with another judge's"
        if found.alpha is not None:
            said += f"; Krippendorff's alpha is {found.alpha:.2f}"
            said += " ({:.2f} to {:.2f})".format(*found.alpha_interval) if found.alpha_interval else ""
        lines.append(f"{said} (1: perfect agreement, 0: chance; similar arms keep it low for any judges).")
    elif len(found.judges) > 1:
        lines.append("No pair of arms has votes from two judges yet, so their agreement is unknown.")
    for each in found.striking:
        lines.append(f"{_strikes(each)} (p = {max(each.p, 1e-4):.1g}, corrected for {_number(found.tests, 'test')}).")
    if any(each.what != "first" for each in found.striking):
        lines.append("A judge who differs need not be wrong: look at these votes before you exclude any.")
    return lines


def _strikes(each: Striking) -> str:
    name, votes, more = shortened(one_line(each.judge), _LONGEST_NAME), each.votes, each.seen > each.expected
    instead = f"on the same pairs: {percent(each.seen)} instead of {percent(each.expected)} of {_number(votes, 'vote')}"
    match each.what:
        case "ties":
            return f"{name} gives {'more' if more else 'fewer'} ties than average {instead}"
        case "agreement":
            return f"{name} agrees with the majority less often than average {instead}"
        case _:
            side, seen = ("first", each.seen) if more else ("second", 1 - each.seen)
            how = "always" if seen == 1 else "usually"
            answers = f"{percent(seen)} of {_number(votes, 'answer')} without ties"
            return f"{name} {how} prefers the arm shown {side}: {answers}"


def judge_table(found: Agreement, width: int) -> list[str]:
    """Return a table of the judges."""
    header = ["judge", "votes", "ties", "first shown", "with the others"]
    rows = [
        [one_line(each.name), f"{each.votes:,.6g}", *map(_share, (each.ties, each.first, each.with_others))]
        for each in found.judges
    ]
    return list(table(header, rows, drop=header[:0:-1], within=width))


def _share(each: Share | None) -> str:
    return percent_with_interval(each.value, each.low, each.high) if each else "—"


def _number(count: float, what: str) -> str:
    return f"{count:,.6g} {what}{'' if count == 1 else 's'}"
