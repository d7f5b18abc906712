"""``duelbench session show``: the standings of a session, as lines that fit the terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.inputs import PATH, FiniteRange, choice
from duelbench.cli.rank import (
    JUDGES_LEGEND,
    agreement_lines,
    decided_line,
    judge_table,
    rank_range,
    share,
    short_name,
)
from duelbench.cli.terminal import counted, emit_json, example, one_line, say, table
from duelbench.markup import several
from duelbench.proportions import percent

if TYPE_CHECKING:
    from duelbench.votes.ranking import Intervals, Ranking
    from duelbench.votes.sessions.events import Flip
    from duelbench.votes.sessions.session import Session
    from duelbench.votes.sessions.standings import ArmStanding, BothOrders, Deciding, Goal, Standings
    from duelbench.votes.sessions.web import Board

_WIDTHS = 60, 160
"""Minimum and maximum width of the output."""
_MOST_NAMED = 12
_MARGIN = 0.05
"""Margin to try if the goal is not reached and the user gave none."""
_HARDLY = 0.01
_MORE_THAN_ONE = 1.005
"""Larger sums of probabilities are not printed as 100 %."""


@click.command(name="show", epilog=example("session show rankers", "session show rankers --until ranks --margin 0.02"))
@click.argument("directory", metavar="DIR", type=PATH)
@click.option(
    "--until",
    metavar="P|ranks|top:K|margin",
    help="When to stop: the exit code is 0 once the recommended arm is best with probability P; or, with probability "
    "0.95, the order of the table is right, its first K arms are the best, or the recommended arm is within the "
    "--margin of the best. Else it is 1.",
)
@click.option(
    "--margin",
    type=FiniteRange(0, 0.5, max_open=True),
    default=0.0,
    metavar="P",
    help="Difference in the probability of being preferred that does not matter, such as 0.02.  [0]",
)
@choice(
    "--find",
    ["copeland", "condorcet", "borda"],
    "The best arm is one that beats most others, beats all others, or is preferred most often.",
)
@choice(
    "--intervals",
    ["simultaneous", "marginal"],
    "Rank intervals that contain the true ranks of all arms together, or those of single arms.",
)
@click.option("--by-judge", is_flag=True, help="Print a table of the judges.")
@click.option("--figure", metavar="FILE", type=PATH, help="Draw the standings into a .png, .pdf or .svg file.")
@click.option("--json", "as_json", is_flag=True, help="Print all numbers of all arms as one line of JSON.")
def command(
    directory: Path,
    until: str | None,
    margin: float,
    find: Any,
    intervals: Intervals,
    by_judge: bool,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Show the standings of a session.

    Lists the arms with intervals, the most probably best first; the recommended arm (*), the pairs that decide whether
    it is best, tiers, the pair to ask about next, the votes of each judge, and how far judges agree.

    Probabilities come from preference matrices drawn from the posterior: Bradley–Terry strengths with a deviation for
    each pair, and ties as a third outcome. You may look after every vote: of simulated sessions that stopped at 0.95,
    95 % were right. Tiers and rank intervals are those of `duelbench rank DIR`, which also writes tables and figures;
    they hold for one look at the votes. `duelbench advise DIR` estimates how many more votes are needed.
    """
    from duelbench.preferences.posterior import MANY
    from duelbench.votes.sessions.requests import ShowRequest, quick_ranking
    from duelbench.votes.sessions.session import Session
    from duelbench.votes.sessions.standings import goal_of

    if figure is not None:
        from duelbench.votes.vote_figures import format_of

        format_of(figure)
    session = Session.open(directory)
    goal = None if until is None else goal_of(until, len(session.names), margin)
    found = session.show(find, margin)
    if as_json:
        request = ShowRequest(show=True, find=find, until=until, margin=margin, intervals=intervals)
        emit_json(request.reply(session))
    else:
        ranking = quick_ranking(session, intervals)
        width = min(max(shutil.get_terminal_size().columns, _WIDTHS[0]), _WIDTHS[1])
        blocks = [[_head(session, found)], [*standing_lines(found, ranking, width)]]
        blocks += _verdicts(session, found, ranking, goal, width if by_judge else None)
        if goal is not None and goal.what == "best" and not found.reached(goal.until) and len(session.names) <= MANY:
            blocks += [[*nearly_lines(found if margin else session.show(find, _MARGIN))]]
        say("\n\n".join("\n".join(block) for block in blocks if block), within=width)
    if figure is not None:
        _draw(session, found, figure, goal.level if goal is not None and goal.what == "best" else None)
        say(f"the figure is {one_line(figure)}", err=as_json)
    if goal is not None and not found.reached(goal.until):
        sys.exit(1)


def _head(session: Session, found: Standings) -> str:
    """Count arms, votes and open questions in one line."""
    waited = len(session.open_questions)
    ties = f" ({counted(found.ties, 'tie')})" if found.ties else ""
    said = [f"{session.algorithm} on {len(found.arms):,} arms", counted(found.votes, "vote") + ties]
    said += [counted(waited, "open question")] if waited else []
    said += ["finished"] if session.finished else []
    return "; ".join(said)


def _verdicts(
    session: Session,
    found: Standings,
    ranking: Ranking | None,
    goal: Goal | None,
    by_judge: int | None = None,
) -> list[list[str]]:
    """Return the blocks of lines below the table; ``by_judge`` is the width of a table of the judges."""
    from duelbench.votes.judge_tests import agreement

    judged = agreement(session.answers)
    blocks = [[*verdict_lines(found)], [*ranking_lines(found, ranking)]]
    blocks += [] if goal is None else [[*goal_lines(found, goal)]]
    flip = next((vote.flip for vote in session.votes if vote.flip), None)
    blocks += [[*order_lines(session.both_orders, flip)]]
    if judged.judges:
        by = several([f"{one_line(judge.name)} {judge.votes:,.6g}" for judge in judged.judges], _MOST_NAMED)
        if len(judged.judges) > 1:
            by += "; all votes count the same"
        blocks += [[*judge_table(judged, by_judge), "", JUDGES_LEGEND] if by_judge else [f"Votes by judge: {by}."]]
        blocks += [agreement_lines(judged)]
    return blocks


def board(session: Session) -> Board:
    """Return the standings for a web page, with a goal of 0.95."""
    from duelbench.votes.sessions.requests import quick_ranking
    from duelbench.votes.sessions.standings import goal_of
    from duelbench.votes.sessions.web import Board

    found, ranking = session.show(), quick_ranking(session, "simultaneous")
    goal = goal_of(0.95, len(session.names), 0.0)
    header, *rows = _cells(found, ranking)
    lines = [line for block in _verdicts(session, found, ranking, goal) for line in block if line]
    return Board(_head(session, found), header, rows, [*lines, *_legend(found, ranking, header)])


def _draw(session: Session, found: Standings, path: Path, until: float | None) -> None:
    from duelbench.votes.sessions.standings import progress
    from duelbench.votes.vote_figures import draw, session_figure

    part = [row.arm for row in found.arms]
    curves = progress(session.all_counts, session.votes, taking_part=part, notion=found.notion, effect=found.effect)
    draw(path, session_figure, found, curves, until)


ROWS = 20
"""Maximum number of arms listed."""
_PAIRS = 3
"""Maximum number of deciding pairs listed."""


def _columns(found: Standings, ranking: Ranking | None) -> dict[str, Callable[[ArmStanding], str]]:
    """Return the columns, most important first: the last are dropped if space is short."""
    columns: dict[str, Callable[[ArmStanding], str]] = {"best": lambda row: percent(row.chance, found.draws)}
    if found.margin:
        columns[f"within {found.margin:.4g}"] = lambda row: percent(row.near, found.draws)
    if ranking is not None:
        ends = dict(zip(ranking.names, ranking.ranks.tolist(), strict=True))
        columns["rank"] = lambda row: rank_range(*ends[row.name])
        if len(ranking.tiers) > 1:
            tier = {ranking.names[arm]: number for number, arms in enumerate(ranking.tiers, start=1) for arm in arms}
            columns["tier"] = lambda row: str(tier[row.name])
    return columns | {
        "preferred to": lambda row: share(row.borda),
        "beats": lambda row: f"{row.beats.value:.1f} ({row.beats.low:.0f}–{row.beats.high:.0f})",
        "votes": lambda row: f"{row.votes:,.6g}",
        "won": lambda row: share(row.share),
    }


def standing_lines(found: Standings, ranking: Ranking | None, width: int) -> Iterator[str]:
    """Yield the table of the arms, best first, and its legend."""
    header, *cells = _cells(found, ranking)
    lines = table(header, cells, drop=header[:0:-1], within=width, shortest=width // 3)
    yield from lines
    if len(cells) < len(found.arms):
        yield f"      … and {len(found.arms) - len(cells):,} more arms: --json has all"
    yield ""
    yield from _legend(found, ranking, [name for name in header if name in lines[0]])


def _cells(found: Standings, ranking: Ranking | None) -> list[list[str]]:
    """Return the header and the rows of the table of the arms."""
    rows = list(enumerate(found.arms, start=1))
    shown = [row for row in rows if row[0] <= ROWS or row[1].arm == found.recommended]
    columns, digits = _columns(found, ranking), max(2, len(str(shown[-1][0])))
    cells = [
        [
            f"{place:>{digits}}{'*' if row.arm == found.recommended else ' '} {one_line(row.name)}",
            *(cell(row) for cell in columns.values()),
        ]
        for place, row in shown
    ]
    return [[f"{'':{digits}}  arm", *columns], *cells]


def _legend(found: Standings, ranking: Ranking | None, columns: Sequence[str]) -> Iterator[str]:
    """Yield the legend of the table."""
    what = {
        "best": f"best: the probability that the arm {found.best_does}",
        f"within {found.margin:.4g}": f"within {found.margin:.4g}: that it is within the margin of the best",
        "rank": "rank: its rank by Bradley–Terry strength, for "
        + ("each arm alone" if ranking is not None and ranking.intervals == "marginal" else "all arms jointly")
        + (", from the votes without ties" if found.ties else ""),
        "preferred to": "preferred to: the probability of being preferred to a random other arm (Borda score)",
        "beats": "beats: the number of arms that it beats (Copeland score)",
        "won": "won: the share of its votes that it won, with ties as halves (Wilson's interval)",
    }
    if (total := sum(row.chance for row in found.arms)) > _MORE_THAN_ONE:
        what["best"] += f" (several may be best at once, so the column adds up to {percent(total)})"
    said = "; ".join(what[name] for name in columns if name in what)
    yield f"{said}. Each interval is a 95 % interval."
    if ranking is not None and "rank" in columns and (name := _unlikely_first(found, ranking)) is not None:
        yield (
            f"{short_name(name)} is hardly the best, but may have rank 1: a rank is excluded only by differences that "
            f"are significant for {'the arm' if ranking.intervals == 'marginal' else 'all arms jointly'}"
            f"{'; these leave out ties, from which `best` learns, too' if found.ties else ''}."
        )
    if found.effect > 1:
        yield f"Votes on one item depend on each other: {found.effect:.3g} votes count as an independent one."


def _unlikely_first(found: Standings, ranking: Ranking) -> str | None:
    """Return the last arm that may have rank 1 but is almost certainly not the best, if there is one."""
    firsts = {name for name, (best, _) in zip(ranking.names, ranking.ranks.tolist(), strict=True) if best == 1}
    return next((row.name for row in reversed(found.arms) if row.chance < _HARDLY and row.name in firsts), None)


def verdict_lines(found: Standings) -> Iterator[str]:
    """Yield the recommended arm with its probability, and the pairs that decide it."""
    if not found.votes:
        yield "There are no votes yet, so no arm is recommended."
        return
    name, first = short_name(found.names[found.leader]), found.arms[0]
    near = f"; it is within {found.margin:.4g} of the best with {_probability(found.standing.near, found)}"
    error = f"± {100 * found.error:.1f} %, " if found.error >= 0.0005 else ""
    yield (
        f"{name} is recommended, and {found.best_does} with {_probability(found.chance, found)} "
        f"({error}from {found.draws:,} draws){near if found.margin else ''}."
    )
    if first.arm != found.leader and first.chance > found.chance:
        yield (
            f"{short_name(first.name)} has a higher probability ({percent(first.chance, found.draws)}), but the "
            f"algorithm has declared {name} the winner."
        )
    if found.deciding and len(found.arms) > 2:
        yield ""
        yield f"What decides whether {name} is best:"
        for pair in found.deciding[:_PAIRS]:
            yield f"  {_decides(found, pair)}"


def ranking_lines(found: Standings, ranking: Ranking | None) -> Iterator[str]:
    """Yield the decided ranks, and the pair whose next vote tells most about the order."""
    from duelbench.votes.sessions.requests import MOST_RANKED

    if not found.votes:
        return
    if ranking is not None:
        yield decided_line(ranking)
    elif len(found.arms) > MOST_RANKED:
        yield "Rank intervals of so many arms take long: `duelbench rank DIR` computes them."
    elif len(found.arms) > 1:
        yield f"Rank intervals need votes on {2 * len(found.arms):,} items, two for each arm."
    if found.next_pair is not None and len(found.arms) > 2:
        one, other = (short_name(found.names[arm]) for arm in found.next_pair)
        yield f"A vote on {one} against {other} would tell most about the order."


def goal_lines(found: Standings, goal: Goal) -> Iterator[str]:
    """Yield the goal, its probability, and whether to stop."""
    if not found.votes:
        return
    within = f", within {found.margin:.4g}," if found.margin else ""
    match goal.what:
        case "ranks":
            said = f"The order of the table is right{within} with {{}}. "
        case "top":
            first = several([short_name(row.name) for row in found.arms[: goal.k]], _MOST_NAMED)
            said = f"The top {goal.k}{within} {'is' if goal.k == 1 else 'are'} {first} with {{}}. "
        case _:
            said = ""
    said = said.format(_probability(found.probability(goal.until), found))
    requested = f"{goal.level:.4g}" + (f" to be within {found.margin:.4g} of the best" if goal.what == "margin" else "")
    verdict = "is reached: you may stop" if found.reached(goal.until) else "is not reached: go on"
    yield f"{said}The requested probability of {requested} {verdict}."


def nearly_lines(found: Standings) -> Iterator[str]:
    """Say if the leader is within the margin of the best: among equal arms the best may never become certain."""
    if found.votes and found.reached("margin"):
        yield (
            f"{short_name(found.names[found.leader])} is within {found.margin:.4g} of the best with "
            f"{_probability(found.standing.near, found)}: if so small a difference does not matter, you may stop "
            f"(--until margin --margin {found.margin:.4g})."
        )


def order_lines(found: BothOrders | None, flip: Flip | None) -> Iterator[str]:
    """Yield how often answers in both orders differ, how these count, and the position bias."""
    if found is not None:
        count = {"tie": ", which count as ties", "abstain": ", which are no votes", "half": ", half a win for each arm"}
        bias, low, high = (f"{100 * each:+.1f}" for each in found.first)
        yield (
            f"In both orders: {share(found.flips)} of {counted(found.questions, 'question')} got different answers"
            f"{count[flip] if flip else ''}; the position bias, for the arm shown first, is {bias} percentage points "
            f"({low} to {high})."
        )


def _probability(p: float, found: Standings) -> str:
    return f"probability {percent(p, found.draws)}"


def _decides(found: Standings, pair: Deciding) -> str:
    first, second = short_name(found.names[pair.first]), short_name(found.names[pair.second])
    ties = f" and {counted(pair.ties, 'tie')}" if pair.ties else ""
    votes = (
        f"{pair.wins:.6g} to {pair.losses:.6g}{ties} so far" if pair.wins + pair.losses + pair.ties else "no vote yet"
    )
    return (
        f"{first} beats {second} with probability {percent(pair.p)} ({votes}); {short_name(found.names[found.leader])} "
        f"is best with probability {percent(pair.if_so)} if so, else {percent(pair.if_not)}"
    )
