"""``duelbench session``: an algorithm at work with real judges."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli import session_show
from duelbench.cli.numbers import WholeRange
from duelbench.cli.session_new import directory_argument, expires_option, json_option, new
from duelbench.cli.terminal import emit, emit_json, one_line, say
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.sessions.session import Session

NOTHING_YET, FINISHED = 3, 4
"""Exit codes of `ask` where there is nothing to ask until answers come, and nothing at all."""
LONGEST_LINE = 1_000_000
"""Bytes of a request."""

_judge = click.option("--judge", metavar="NAME", help="Who is asked, or has answered.")
_accept = click.option(
    "--accept-new-code",
    is_flag=True,
    help="Go on although the algorithm's code has changed: it begins anew with the votes so far.",
)


@click.group(name="session", short_help="Put an algorithm to work with real judges.")
def command() -> None:
    """Put an algorithm to work on real comparisons: it asks, judges answer, and a log in DIR keeps what was said.

    The log is readable, one JSON event a line. Whatever process ends, nothing that was answered is lost; any number
    of processes may ask and tell at once. `duelbench session serve` does all of it for a program.
    """


command.add_command(new)
command.add_command(session_show.command)


@command.command()
@directory_argument
@click.option("-n", "number", type=WholeRange(1, 1_000), default=1, show_default=True, help="Duels at most.")
@_judge
@expires_option
@_accept
@json_option
def ask(
    directory: Path, number: int, judge: str | None, expires: float | None, accept_new_code: bool, as_json: bool
) -> None:
    """Ask for the next duels: an ID each, and the two arms in the order in which to show them.

    Self-duels are played by the session itself. Exit code 3 when there is nothing to ask until answers come (an
    algorithm that learns from its own duels alone has one question at a time), 4 when no more votes are asked for.
    """
    from duelbench.sessions.requests import asked

    reply = asked(_opened(directory, accept_new_code), number, judge, expires)
    if as_json:
        emit_json(reply)
    else:
        for each in reply["asks"]:
            say(f"{each['id']:<5} {each['first']}  or  {each['second']}")
        if "why" in reply:
            say(reply["why"], err=True)
    if reply["state"] != "asked":
        sys.exit(NOTHING_YET if reply["state"] == "waiting" else FINISHED)


@command.command()
@directory_argument
@click.argument("ask_id", metavar="[ID]", type=int, required=False)
@click.argument("answer", metavar="[first|second|tie|skip]", required=False)
@_judge
@click.option(
    "--votes",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Tell votes from elsewhere, as `duelbench datasets build votes` reads them, repeatable.",
)
@_accept
@json_option
def tell(
    directory: Path,
    ask_id: int | None,
    answer: str | None,
    judge: str | None,
    votes: tuple[Path, ...],
    accept_new_code: bool,
    as_json: bool,
) -> None:
    """Tell what a judge has said of ask ID: the first is better, the second, or neither; `skip` gives the ask back.

    Answers may come in any order and at any time; the same one may come twice. Of a tie the algorithm hears by a coin.
    An answer that comes after somebody else was asked instead counts where the algorithm learns from any duel, and is
    recorded in any case.
    """
    from duelbench.sessions.requests import told

    if bool(votes) == (ask_id is not None) or (ask_id is not None and answer is None):
        raise UserError("tell ID and first, second, tie or skip; or --votes FILE")
    if answer is not None and answer not in ("first", "second", "tie", "skip"):
        raise UserError(f"an answer is first, second, tie or skip, not {answer!r}")
    session = _opened(directory, accept_new_code)
    if votes:
        from duelbench.sources.votes import read_votes

        found = read_votes(votes)
        source = one_line(", ".join(path.name for path in votes))[:200].strip()
        try:
            number = session.tell_votes(found.counts, source or "votes")
        except UserError as error:
            error.source = error.source or ", ".join(map(str, votes))
            raise
        reply: Mapping[str, Any] = {"votes": number, "refused": found.refused_rows}
        said = f"{number:,} vote{'s' * (number != 1)} told; {found.refused_rows:,} rows refused"
    else:
        assert ask_id is not None
        assert answer is not None
        reply = told(session, ask_id, answer, judge)
        said = _said(reply)
    if as_json:
        emit_json(reply)
    else:
        say(said)


def _said(reply: Mapping[str, Any]) -> str:
    """Return what is said of an answer that was told, or of an ask that was given back."""
    if "returned" in reply:
        return f"ask {reply['returned']} is given back"
    if not reply["used"]:
        return f"ask {reply['told']}: {reply['answer']}; recorded, but {reply['why']}"
    return f"ask {reply['told']}: {reply['answer']}; {reply['votes']:,} vote{'s' * (reply['votes'] != 1)} so far"


@command.command()
@directory_argument
@click.option("--counts", is_flag=True, help="The votes of each pair, with those from elsewhere, instead of each vote.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file to write instead of standard output.")
@json_option
def export(directory: Path, counts: bool, output: Path | None, as_json: bool) -> None:
    """Print all votes as CSV, one a row, as `duelbench datasets build votes` reads them."""
    from dataclasses import asdict

    from duelbench.sessions.export import counts_text, votes_text
    from duelbench.sessions.requests import shown
    from duelbench.sessions.session import load
    from duelbench.writing import write_whole

    session = load(directory)
    if as_json:
        text = json.dumps(shown(session) if counts else [asdict(each) for each in session.votes])
    else:
        text = (counts_text(session) if counts else votes_text(session.votes)).rstrip("\n")
    if output is None:
        emit(text)
        return
    if output.exists():
        raise UserError(f"{output} is there already and is not overwritten: choose another name")
    write_whole(output, text + "\n")


@command.group()
def arm() -> None:
    """Let arms join and leave, where the algorithm learns from any duel."""


@arm.command()
@directory_argument
@click.argument("name")
def add(directory: Path, name: str) -> None:
    """Let an arm join, or come back. The algorithm begins anew with all votes among the arms that are there."""
    session = _opened(directory, False)
    session.add_arm(name)
    say(f"{one_line(name)} is in: {len(session.names)} arms")


@arm.command()
@directory_argument
@click.argument("name")
def withdraw(directory: Path, name: str) -> None:
    """Take an arm out. Its votes are kept, and count again should it come back; its open asks are closed."""
    session = _opened(directory, False)
    session.withdraw_arm(name)
    say(f"{one_line(name)} is out: {len(session.names)} arms")


@command.command()
@directory_argument
@_accept
def serve(directory: Path, accept_new_code: bool) -> None:
    """Answer requests of a program: a line of JSON on standard input, a line of JSON on standard output.

    \b
    {"ask": 3, "judge": "ann"}                         → {"state": "asked", "asks": [{"id": 1, …}, …]}
    {"tell": 1, "answer": "first", "judge": "ann"}     → {"told": 1, "used": true, …}
    {"show": true} · {"add": "NAME"} · {"withdraw": "NAME"}

    A line that is no request is answered {"error": …}. It ends with its input. Others may ask and tell meanwhile.
    """
    from duelbench.sessions.requests import replied

    session = _opened(directory, accept_new_code)
    lines = sys.stdin.buffer
    while line := lines.readline(LONGEST_LINE):
        if not line.strip():
            continue
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := lines.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            emit_json({"error": f"this line has more than {LONGEST_LINE:,} bytes"})
            continue
        emit_json(replied(session, line))


def _opened(directory: Path, accept_new_code: bool) -> Session:
    from duelbench.sessions.session import Session

    return Session.open(directory, accept_new_code=accept_new_code)
