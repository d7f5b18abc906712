"""``duelbench session show``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.numbers import FiniteRange
from duelbench.cli.session_tables import agreement_lines, judge_lines, standing_lines, verdict_lines, wrapped
from duelbench.cli.terminal import emit_json, example, one_line, say

if TYPE_CHECKING:
    from duelbench.sessions.agreement import Agreement
    from duelbench.sessions.session import Session
    from duelbench.sessions.standings import Standings

NARROWEST, WIDEST = 60, 160
"""Columns of the output."""
MOST_JUDGES = 12


@click.command(name="show", epilog=example("session show rankers", "session show rankers --until 0.95"))
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--until",
    metavar="P",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    help="Probability at which to stop: the exit code is 0 once the arm is best with this probability, else 1.",
)
@click.option(
    "--find",
    type=click.Choice(["copeland", "condorcet", "borda"]),
    default="copeland",
    show_default=True,
    help="The best arm is one that beats most others, beats all others, or is preferred most often.",
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
    directory: Path, until: float | None, find: Any, by_judge: bool, figure: Path | None, as_json: bool
) -> None:
    """Show the standings of a session.

    Lists the arms, best first, with intervals; the recommended arm (*), the probability that it is best, and the
    pairs that decide it; the votes of each judge, and how far judges agree.

    Probabilities come from preference matrices drawn from the posterior: Bradley–Terry strengths with a deviation for
    each pair, and ties as a third outcome. You may look after every vote: of simulated sessions that stopped at 0.95,
    95 % were right. To estimate how many more votes are needed, use `duelbench advise --continue` on the output of
    `session export --counts`.
    """
    from duelbench.sessions.agreement import agreement
    from duelbench.sessions.session import load

    if figure is not None:
        from duelbench.sessions.figure import format_of

        format_of(figure)
    session = load(directory)
    found = session.standings(find)
    if as_json:
        from duelbench.sessions.requests import handle_show

        emit_json(handle_show(session, found, until))
    else:
        _print(session, found, agreement(session.votes), until, by_judge)
    if figure is not None:
        _draw(session, found, figure, until)
        say(f"the figure is {one_line(figure)}", err=as_json)
    if until is not None and not (found.votes and found.chance >= until):
        sys.exit(1)


def _print(session: Session, found: Standings, judged: Agreement, until: float | None, by_judge: bool) -> None:
    width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))
    waited = len(session.open_asks)
    counted = "1 vote" if found.votes == 1 else f"{found.votes:,.6g} votes"
    said = [f"{session.algorithm} on {len(found.arms):,} arms", counted]
    said[1] += f" ({found.ties:,.6g} {'tie' if found.ties == 1 else 'ties'})" if found.ties else ""
    said += [f"{waited:,} open question{'s' * (waited != 1)}"] if waited else []
    said += ["finished"] if session.finished else []
    blocks = [wrapped("; ".join(said), width), list(standing_lines(found, width))]
    blocks += [list(verdict_lines(found, until, width))]
    if judged.judges:
        by = ", ".join(f"{one_line(judge.name)} {judge.votes:,}" for judge in judged.judges[:MOST_JUDGES])
        by += f" and {len(judged.judges) - MOST_JUDGES} more" if len(judged.judges) > MOST_JUDGES else ""
        blocks += [list(judge_lines(judged, width)) if by_judge else wrapped(f"Votes by judge: {by}.", width)]
        blocks += [list(agreement_lines(judged, width))]
    say("\n\n".join("\n".join(block) for block in blocks if block))


def _draw(session: Session, found: Standings, path: Path, until: float | None) -> None:
    from duelbench.sessions.figure import draw
    from duelbench.sessions.progress import progress

    course = progress(session.all_counts, session.votes, taking_part=_taking_part(session), notion=found.notion)
    draw(path, found, course, until)


def _taking_part(session: Session) -> list[int]:
    """Return the places, among all arms, of those that have not been withdrawn."""
    places = {name: place for place, name in enumerate(session.all_counts.names)}
    return [places[name] for name in session.names]
