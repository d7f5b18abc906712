"""``duelbench session show``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.numbers import FiniteRange
from duelbench.cli.session_tables import (
    agreement_lines,
    goal_lines,
    judge_lines,
    ranking_lines,
    standing_lines,
    verdict_lines,
    wrapped,
)
from duelbench.cli.terminal import emit_json, example, one_line, say

if TYPE_CHECKING:
    from duelbench.votes.judge_tests import Agreement
    from duelbench.votes.ranking import Intervals, Ranking
    from duelbench.votes.sessions.session import Session
    from duelbench.votes.sessions.standings import Goal, Standings

NARROWEST, WIDEST = 60, 160
"""Columns of the output."""
MOST_JUDGES = 12


@click.command(name="show", epilog=example("session show rankers", "session show rankers --until ranks --margin 0.02"))
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
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
@click.option(
    "--find",
    type=click.Choice(["copeland", "condorcet", "borda"]),
    default="copeland",
    show_default=True,
    help="The best arm is one that beats most others, beats all others, or is preferred most often.",
)
@click.option(
    "--intervals",
    type=click.Choice(["simultaneous", "marginal"]),
    default="simultaneous",
    show_default=True,
    help="Rank intervals that contain the true ranks of all arms together, or those of single arms.",
)
@click.option("--by-judge", is_flag=True, help="Print a table of the judges.")
@click.option(
    "--figure",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Draw the standings into a .png, .pdf or .svg file.",
)
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
    they hold for one look at the votes. To estimate how many more votes are needed, use `duelbench advise` on the
    output of `session export --counts`.
    """
    from duelbench.votes.judge_tests import agreement
    from duelbench.votes.sessions.requests import handle_show, quick_ranking
    from duelbench.votes.sessions.session import Session
    from duelbench.votes.sessions.standings import goal_of

    if figure is not None:
        from duelbench.votes.vote_figures import format_of

        format_of(figure)
    session = Session.open(directory)
    goal = None if until is None else goal_of(until, len(session.names), margin)
    found = session.standings(find, margin)
    if as_json:
        emit_json(handle_show(session, find, until, margin, intervals))
    else:
        _print(session, found, quick_ranking(session, intervals), agreement(session.votes), goal, by_judge)
    if figure is not None:
        _draw(session, found, figure, goal.level if goal is not None and goal.what == "best" else None)
        say(f"the figure is {one_line(figure)}", err=as_json)
    if goal is not None and not found.reached(goal.until):
        sys.exit(1)


def _print(
    session: Session,
    found: Standings,
    ranking: Ranking | None,
    judged: Agreement,
    goal: Goal | None,
    by_judge: bool,
) -> None:
    width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))
    waited = len(session.open_asks)
    counted = "1 vote" if found.votes == 1 else f"{found.votes:,.6g} votes"
    said = [f"{session.algorithm} on {len(found.arms):,} arms", counted]
    said[1] += f" ({found.ties:,.6g} {'tie' if found.ties == 1 else 'ties'})" if found.ties else ""
    said += [f"{waited:,} open question{'s' * (waited != 1)}"] if waited else []
    said += ["finished"] if session.finished else []
    blocks = [wrapped("; ".join(said), width), list(standing_lines(found, ranking, width))]
    blocks += [list(verdict_lines(found, width)), list(ranking_lines(found, ranking, width))]
    blocks += [[] if goal is None else list(goal_lines(found, goal, width))]
    if judged.judges:
        by = ", ".join(f"{one_line(judge.name)} {judge.votes:,}" for judge in judged.judges[:MOST_JUDGES])
        by += f" and {len(judged.judges) - MOST_JUDGES} more" if len(judged.judges) > MOST_JUDGES else ""
        blocks += [list(judge_lines(judged, width)) if by_judge else wrapped(f"Votes by judge: {by}.", width)]
        blocks += [list(agreement_lines(judged, width))]
    say("\n\n".join("\n".join(block) for block in blocks if block))


def _draw(session: Session, found: Standings, path: Path, until: float | None) -> None:
    from duelbench.votes.sessions.standings import progress
    from duelbench.votes.vote_figures import draw_session

    part = [row.arm for row in found.arms]
    draw_session(path, found, progress(session.all_counts, session.votes, taking_part=part, notion=found.notion), until)
