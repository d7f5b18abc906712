"""``duelbench rank``."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from duelbench.cli.inputs import (
    PATH,
    FiniteRange,
    WholeRange,
    choice,
    files_read,
    refuse_overwriting,
    vote_options,
    votes_of_session,
)
from duelbench.cli.terminal import counted, emit_json, example, one_line, say, shortened, table, warn
from duelbench.errors import UserError, did_you_mean
from duelbench.files import write_whole
from duelbench.markup import escaped, several
from duelbench.proportions import percent, percent_with_interval

if TYPE_CHECKING:
    from duelbench.preferences.counts import PairCounts
    from duelbench.preferences.samples import Estimate
    from duelbench.votes.judge_tests import Agreement, Striking, VoteShare
    from duelbench.votes.ranking import Intervals, Looks, Ranking
    from duelbench.votes.reading.columns import VoteFileOptions
    from duelbench.votes.strengths import Clusters
    from duelbench.votes.vote_table import VoteTable

_TABLES = (".csv", ".tex")


@click.command(
    name="rank",
    epilog=example(
        "rank votes.csv",
        "rank votes.csv -o ranks.png -o ranks.tex",
        "rank games.pgn --scale elo --against base",
        "rank rankers",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...|DIR", type=PATH)
@choice(
    "--intervals",
    ["simultaneous", "marginal"],
    "Intervals that contain the true ranks of all arms together, or those of single arms.",
)
@click.option(
    "--level",
    type=FiniteRange(0.5, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level.",
)
@click.option(
    "--clusters",
    type=click.Choice(["groups", "judges", "none"]),
    help="Votes that depend on each other: those of a group (a ranking, a question, two games of one opening), or of a "
    "judge.  [groups, if there are any]",
)
@choice(
    "--scale",
    ["log-odds", "elo"],
    "Unit of strengths. Elo has intervals and the probability to be better than the next arm (LOS), and counts "
    "ties as halves unless --ties is given.",
)
@choice(
    "--prior",
    ["weak", "none"],
    "weak: each arm has also won once and lost once against an arm of strength 0. none: maximum likelihood.",
)
@click.option(
    "--against",
    metavar="ARM",
    help="Also print the difference of every other arm from this one, each with its own interval.",
)
@vote_options("drop")
@click.option("-n", "--arms", type=WholeRange(min=2), help="Rank only the arms with the most votes.  [all]")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=PATH,
    help="File to write: a table (.csv or .tex) or a figure (.png, .pdf or .svg); repeatable.",
)
@click.option(
    "--until",
    metavar="ranks|top:K",
    help="When to stop asking: the exit code is 0 once all ranks, or the first K arms, are decided, else 1. See "
    "--looks.",
)
@choice(
    "--looks",
    ["one", "any"],
    "Whether intervals hold for one look at the votes, or all together however often you look, as after every "
    "vote, which needs more votes: twice as many with 5 arms, four times with 12.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as one line of JSON.")
def command(
    files: tuple[Path, ...],
    intervals: Intervals,
    level: float,
    clusters: Clusters | None,
    scale: Literal["log-odds", "elo"],
    prior: Literal["weak", "none"],
    against: str | None,
    reading: VoteFileOptions,
    arms: int | None,
    outputs: tuple[Path, ...],
    until: str | None,
    looks: Looks,
    as_json: bool,
) -> None:
    """Rank arms by votes, with intervals of their ranks.

    FILEs are read as `duelbench datasets build votes` reads them; DIR is the directory of a session. Lists the arms,
    best first, by Bradley–Terry strength, with tiers: every arm of a tier is significantly better than all arms of
    later tiers. Says which ranks are decided. Nothing is decided between arms that no votes connect, or about arms with
    very few votes, which come last.

    Ballots (PrefLib), rows with the same group, item or question_id or with the same --group, and the two games of an
    opening with colours reversed (PGN) are dependent votes: standard errors take that into account.

    Where judges are known, says how far they agree, and names those who differ by more than chance: in ties, from the
    majority, or by a preference for the arm shown first or second. The votes of all judges count the same.
    """
    from duelbench.votes.judge_tests import agreement
    from duelbench.votes.ranking import rank
    from duelbench.votes.reading.read import read_votes
    from duelbench.votes.sessions.requests import plain
    from duelbench.votes.sessions.standings import goal_of
    from duelbench.votes.strengths import order_effect

    if outputs:
        _check_outputs(files, outputs)
    if until not in (None, "ranks") and not until.startswith("top:"):
        raise click.UsageError("--until takes ranks or top:K here; a session also stops at a probability or a margin")
    ties = reading.ties
    if scale == "elo" and click.get_current_context().get_parameter_source("ties") is ParameterSource.DEFAULT:
        ties = "half"
    grouped: list[str] = []
    if any(file.is_dir() for file in files):
        if len(files) > 1:
            raise UserError("give one session's directory alone, or files of votes")
        table, answers, about = votes_of_session(files[0], reading)
        read = [about]
    else:
        votes = read_votes(files, reading.model_copy(update={"ties": "half"}))
        for problem in votes.problems():
            warn(problem)
        grouped = votes.grouped
        read = files_read(votes)
        table = answers = votes.table
    counts = table.counts()
    if arms is not None:
        table = table.among(counts.most_voted(arms))
        counts = table.counts()
    goal = None if until is None else goal_of(until, counts.arms)
    if against is not None and against not in counts.names:
        raise UserError(
            f"--against: there is no arm {against!r:.80}{did_you_mean(against, counts.names)}",
            source=one_line(files[0]),
        )
    if clusters == "judges" and not table.judges:
        raise UserError("no judges are known: name their column by --judge", source=one_line(files[0]))
    found = rank(
        table,
        ties=ties,
        clusters=clusters,
        intervals=intervals,
        level=level,
        looks=looks,
        prior_votes=float(prior == "weak"),
    )
    judged = agreement(answers)
    if clusters is None and found.clusters == "groups":
        for note in grouped:
            warn(f"note: {one_line(note)}")
    order = None
    if table.ordered and counts.arms <= _MOST_ORDERED:
        order = [each * _UNIT[scale] for each in order_effect(table, ties, found.clusters)]
    for output in outputs:
        if output.suffix.lower() == ".csv":
            write_whole(output, rows_text(found, counts, scale))
        elif output.suffix.lower() == ".tex":
            write_whole(output, latex(found, counts, scale))
        else:
            from duelbench.votes.vote_figures import draw, rank_figure

            draw(output, rank_figure, found)
    if as_json:
        emit_json(
            {
                **numbers(found, counts, scale),
                "against": None
                if against is None
                else {"arm": against, "differences": difference_numbers(found, against, scale)},
                "first_shown": order,
                "both_orders": dict(zip(("pairs", "differ"), table.in_both_orders(), strict=True)),
                "agreement": plain(judged),
            }
        )
    else:
        say("\n".join([*read, ""]))
        say("\n".join(lines(found, counts, scale, against)))
        for sentence in order_lines(table, order, scale, found):
            say(sentence)
        if goal is not None and looks == "one":
            say("These intervals hold for one look at the votes; to look after every vote, use --looks any.")
        if of_judges := agreement_lines(judged):
            say("\n".join(["", *of_judges]))
    for output in outputs:
        say(f"wrote {one_line(output)}", err=as_json)
    if goal is not None:
        decided = len(found.decided_ranks) == found.arms if goal.what == "ranks" else goal.k in found.decided_tops
        sys.exit(0 if decided else 1)


def _check_outputs(files: tuple[Path, ...], outputs: tuple[Path, ...]) -> None:
    """Raise UserError if a file to write has no known suffix, or is one of the inputs."""
    from duelbench.plots.drawing import FORMATS

    suffixes = (*_TABLES, *(f".{each}" for each in FORMATS))
    for output in outputs:
        if output.suffix.lower() not in suffixes:
            why = f"unknown kind of file: the name must end in one of {', '.join(suffixes)}"
            raise UserError(why, source=str(output))
    refuse_overwriting(files, outputs)


_MOST_ORDERED = 500
"""With more arms we do not fit the effect of the order shown: it would take seconds."""
Scale = Literal["log-odds", "elo"]
_HEADS: dict[Scale, str] = {"log-odds": "strength", "elo": "Elo"}
_UNITS: dict[Scale, str] = {"log-odds": "log-odds", "elo": "Elo"}
_WHOLE_ELO = 10
"""Elo has no decimals if the half-length of its interval is at least this."""
_MOST_LISTED = 12
"""Maximum number of decided ranks and sets named in the text."""
_TIES = {"drop": "without ties", "half": "with ties as halves"}


_UNIT: dict[Scale, float] = {"log-odds": 1.0, "elo": 400.0 / math.log(10.0)}


def ranked(found: Ranking, counts: PairCounts, scale: Scale) -> list[Any]:
    """Return the arms, best first, with strengths in the unit of the scale and the numbers of their votes."""
    columns, order, unit = found.columns(), found.order, _UNIT[scale]
    for name in ("strength", "standard_error"):
        columns[name] = [each * unit for each in columns[name]]
    wins, losses, ties = counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
    votes = {name: each[order].tolist() for name, each in (("wins", wins), ("losses", losses), ("ties", ties))}
    columns = {"name": columns.pop("arm"), **columns, **votes}
    return [SimpleNamespace(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def _known(value: Any) -> Any:
    """Return a value, or None for NaN."""
    return None if value != value else value


def numbers(found: Ranking, counts: PairCounts, scale: Scale) -> dict[str, Any]:
    """Return everything, ready for JSON."""
    rows = ranked(found, counts, scale)
    return {
        "arms": [{name: _known(value) for name, value in vars(row).items()} for row in rows],
        **found.decisions(),
        "votes": float(counts.votes.sum() / 2),
        "ties": float(counts.ties.sum() / 2),
    }


def rows_text(found: Ranking, counts: PairCounts, scale: Scale) -> str:
    """Return the arms as CSV."""
    rows, text = ranked(found, counts, scale), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(vars(rows[0]))
    for row in rows:
        cells = [f"{each:.6g}" if isinstance(each, float) else each for each in map(_known, vars(row).values())]
        writer.writerow([escaped(row.name), *cells[1:]])
    return text.getvalue()


def latex(found: Ranking, counts: PairCounts, scale: Scale = "log-odds") -> str:
    """Return the arms as a booktabs ``tabular`` with a rule after each tier."""
    from duelbench.markup import latex_row, latex_table, latex_text

    rows = ranked(found, counts, scale)
    body, tier = [], 1
    for row in rows:
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
    """Return the table, its legend, differences from an arm, and the decided ranks."""
    elo = scale == "elo"
    header = ["arm", "tier", "rank", "expected wins", _HEADS[scale], *["LOS"] * elo, "votes", "ties"]
    rows = ranked(found, counts, scale)
    anchor = rows[1].name if against is None and elo and len(rows) == 2 else against
    cells = [
        [
            one_line(row.name),
            str(row.tier),
            rank_range(row.best_rank, row.worst_rank),
            f"{row.expected_wins:.3f}",
            _strength(row, found, scale),
            *["" if math.isnan(row.superiority) else percent(row.superiority)] * elo,
            f"{row.wins + row.losses + row.ties:,.6g}",
            f"{row.ties:,.6g}",
        ]
        for row in rows
    ]
    prior = (
        "drawn to 0 by a prior of one win and one loss of each arm" if found.prior_votes else "by maximum likelihood"
    )
    return [
        *table(header, cells, drop=("ties", "votes", _HEADS[scale], "expected wins")),
        "",
        f"expected wins: the mean over the other arms of the share of votes won, {_TIES[found.ties]}; "
        f"{_what_strength_is(found, scale)}, relative to the mean of {_reference(found)}, {prior}",
        _intervals_line(found),
        *_notes(found, counts),
        "",
        *([] if anchor is None else difference_lines(found, anchor, scale)),
        decided_line(found),
    ]


def difference_lines(found: Ranking, anchor: str, scale: Scale) -> list[str]:
    """Return the difference of each other arm from the anchor: a sentence for one arm, a table for several."""
    unit = _UNIT[scale]
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
    unit = _UNIT[scale]
    return [
        {key: value if isinstance(value, str) else _known(float(value) * unit) for key, value in each._asdict().items()}
        for each in found.against(anchor)
    ]


def _value(value: float, half: float, scale: Scale) -> str:
    """Format a value ± the half-length of its interval or its standard error; either may be NaN."""
    if math.isnan(value):
        return "—"
    digits = 2 if scale == "log-odds" else 1 if half < _WHOLE_ELO else 0
    return f"{value:+z.{digits}f}" + ("" if math.isnan(half) else f" ± {half:.{digits}f}")


def _strength(row: Any, found: Ranking, scale: Scale) -> str:
    """Format log-odds ± standard error, or Elo ± half-length of the interval."""
    return _value(row.strength, row.standard_error * (found.half_length if scale == "elo" else 1.0), scale)


def _what_strength_is(found: Ranking, scale: Scale) -> str:
    if scale == "elo":
        level = f"{100 * found.level:.4g} %"
        return f"LOS: the probability to be better than the next arm; Elo: Bradley–Terry, with {level} intervals"
    return "strength: Bradley–Terry log-odds with standard errors"


def order_lines(votes: VoteTable, order: Sequence[float] | None, scale: Scale, found: Ranking) -> list[str]:
    """Describe votes in both orders, and the advantage of the arm shown first (in log-odds: if significant)."""
    lines = []
    pairs, differ = votes.in_both_orders()
    if pairs:
        share = percent(differ / pairs)
        some = "1 pair of votes shows" if pairs == 1 else f"{pairs:,} pairs of votes show"
        lines.append(
            f"{some} two arms in both orders; {differ:,} ({share}) {'has' if differ == 1 else 'have'} two results."
        )
    if order is not None:
        gain, error = order
        half = found.half_length * error
        interval = _value(gain, half, scale).replace(" ±", f" {_UNITS[scale]} ±")
        if scale == "elo" or abs(gain) > half:
            lines.append(f"The first side gains {interval} ({100 * found.level:.4g} % interval).")
    return lines


def _reference(found: Ranking) -> str:
    """Name the arms relative to which strengths are measured."""
    arms = "its group" if len(found.groups) > 1 else "the arms"
    return f"{arms} without those of few votes" if found.few.any() else arms


def _notes(found: Ranking, counts: PairCounts) -> list[str]:
    """Return sentences on groups of arms that never met, and on arms with few votes."""
    from duelbench.votes.ranking import FEW

    names = [one_line(name) for name in found.names]
    lines = []
    if len(found.groups) > 1:
        votes = "votes without ties" if found.ties == "drop" and counts.ties.any() else "votes"
        some = "; ".join(several([names[arm] for arm in group], _MOST_LISTED) for group in found.groups[:_MOST_LISTED])
        more = f"; and {len(found.groups) - _MOST_LISTED:,} more" if len(found.groups) > _MOST_LISTED else ""
        lines.append(f"No {votes} connect these groups of arms, so nothing is decided between them: {some}{more}.")
    if found.few.any():
        few = several([names[arm] for arm in found.few.nonzero()[0]], _MOST_LISTED)
        lines.append(f"Arms with fewer than {FEW} votes come last: {few}. --arms {(~found.few).sum()} leaves them out.")
    return lines


def rank_range(best: int, worst: int) -> str:
    """Format a rank interval."""
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
        decisions.append(f"{'rank' if len(ranks) == 1 else 'ranks'} {several(ranks, _MOST_LISTED)}")
    if tops:
        decisions.append(several(tops, _MOST_LISTED))
    return f"Decided: {'; '.join(decisions)}."


JUDGES_LEGEND = (
    "first shown: the share of votes, without ties, for the arm shown first; with the others: the share of votes that "
    "agree with the most frequent answer of the other judges, if that is unique (Wilson's 95 % intervals)."
)
"""Legend of ``judge_table``."""


def agreement_lines(found: Agreement) -> list[str]:
    """Return sentences on how far judges agree, and on those who differ from the others."""
    lines = []
    if found.equal is not None:
        said = f"On {counted(found.pairs, 'pair')} with several judges, {percent(found.equal)}"
        said += " ({:.0f}–{:.0f})".format(*(100 * end for end in found.equal_interval)) if found.equal_interval else ""
        said += " of votes agree with another judge's"
        if found.alpha is not None:
            said += f"; Krippendorff's alpha is {found.alpha:.2f}"
            said += " ({:.2f} to {:.2f})".format(*found.alpha_interval) if found.alpha_interval else ""
        lines.append(f"{said} (1: perfect agreement, 0: chance; similar arms keep it low for any judges).")
    elif len(found.judges) > 1:
        lines.append("No pair of arms has votes from two judges yet, so their agreement is unknown.")
    for each in found.striking:
        lines.append(f"{_strikes(each)} (p = {max(each.p, 1e-4):.1g}, corrected for {counted(found.tests, 'test')}).")
    if any(each.what != "first" for each in found.striking):
        lines.append("A judge who differs need not be wrong: look at these votes before you exclude any.")
    return lines


def _strikes(each: Striking) -> str:
    name, votes, more = short_name(each.judge), each.votes, each.seen > each.expected
    instead = f"on the same pairs: {percent(each.seen)} instead of {percent(each.expected)} of {counted(votes, 'vote')}"
    match each.what:
        case "ties":
            return f"{name} gives {'more' if more else 'fewer'} ties than average {instead}"
        case "agreement":
            return f"{name} agrees with the majority less often than average {instead}"
        case _:
            side, seen = ("first", each.seen) if more else ("second", 1 - each.seen)
            how = "always" if seen == 1 else "usually"
            answers = f"{percent(seen)} of {counted(votes, 'answer')} without ties"
            return f"{name} {how} prefers the arm shown {side}: {answers}"


def judge_table(found: Agreement, width: int) -> list[str]:
    """Return a table of the judges."""
    header = ["judge", "votes", "ties", "first shown", "with the others"]
    rows = [
        [one_line(each.name), f"{each.votes:,.6g}", *map(share, (each.ties, each.first, each.with_others))]
        for each in found.judges
    ]
    return list(table(header, rows, drop=header[:0:-1], within=width))


def short_name(name: str) -> str:
    """Return a name on one line, without its middle if it is long."""
    return shortened(one_line(name), 40)


def share(each: VoteShare | Estimate | None) -> str:
    """Return a share with its interval."""
    return percent_with_interval(each.value, each.low, each.high) if each else "—"
