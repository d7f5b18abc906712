"""``duelbench session``: an algorithm asks questions, and judges answer them."""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import shlex
import socket
import stat
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli import session_show
from duelbench.cli.inputs import (
    PATH,
    WholeRange,
    choice,
    given_parameters,
    parameter_option,
    tried_algorithm,
    vote_options,
)
from duelbench.cli.terminal import counted, emit, emit_json, example, one_line, say, warn
from duelbench.errors import UserError
from duelbench.files import write_whole

if TYPE_CHECKING:
    from duelbench.votes.reading.columns import VoteFileOptions
    from duelbench.votes.sessions.events import Flip, Orders
    from duelbench.votes.sessions.session import Session

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_RESERVED = ("algorithm", "arms", "directory", "expires", "flip", "horizon", "orders", "seed")
"""Names that parameters cannot have: the arguments of ``Session.create``."""


class Lasting(click.ParamType):  # type: ignore[type-arg]  # some releases of click have no such arguments
    """A time such as 90s, 30m, 1h, 2d or 1.5h; seconds without a unit."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds, or fail with a message."""
        from duelbench.votes.sessions.events import LONGEST_EXPIRY

        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw]?)", str(value).strip(), re.ASCII)
        if not found or not 0 < (seconds := float(found[1]) * _UNITS[found[2] or "s"]) <= LONGEST_EXPIRY:
            self.fail(f"{value!r} is not a time: write 90s, 30m, 1h or 2d", param, ctx)
        return seconds


_directory = click.argument("directory", metavar="DIR", type=PATH)
_json = click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
_expires = click.option(
    "--expires",
    type=Lasting(),
    metavar="TIME",
    help="Time, such as 1h, after which a question may be given to another judge.",
)
_NOTHING_YET, FINISHED = 3, 4
"""Exit codes of `ask`: no question until answers arrive; no further votes needed."""
_judge = click.option("--judge", metavar="NAME", help="Name of the judge.")
_accept = click.option(
    "--accept-new-code",
    is_flag=True,
    help="Continue although the algorithm's code has changed: it restarts with the votes so far.",
)


@click.group(
    name="session", epilog=example("session new rankers --algorithm d-ts --arms arms.txt", "session ask rankers")
)
def command() -> None:
    """Let an algorithm choose which comparisons judges make.

    The algorithm asks questions, judges answer, and a log in DIR records everything, one JSON event per line. No
    answer is lost if a process ends, and any number of processes may ask and tell at the same time. `duelbench
    session serve` does the same for a program, or for judges in a browser.
    """


command.add_command(session_show.command)


@command.command(epilog=example("session new rankers --algorithm d-ts --arms arms.txt"))
@_directory
@click.option(
    "--algorithm",
    required=True,
    metavar="NAME|FILE.py:Class",
    help="An algorithm of `duelbench list algorithms`, such as d-ts, or your own.",
)
@click.option(
    "--arms", required=True, metavar="FILE", type=PATH, help="Text file with the name of an arm on each line."
)
@click.option(
    "--seed", type=WholeRange(0), default=0, show_default=True, help="Seed of the algorithm's random choices."
)
@click.option("--horizon", type=WholeRange(1, 10**12), help="Number of rounds, for an algorithm that must know it.")
@_expires
@choice(
    "--orders",
    ["one", "both"],
    "Show a pair in one order, drawn at random, or ask each judge in both orders, which makes one vote.",
)
@choice(
    "--flip",
    ["tie", "abstain", "half"],
    "What different answers in both orders count as: a tie, no vote, or half a win for each arm.",
)
@parameter_option
@_json
def new(
    directory: Path,
    algorithm: str,
    arms: Path,
    seed: int,
    horizon: int | None,
    expires: float | None,
    orders: Orders,
    flip: Flip,
    parameters: tuple[str, ...],
    as_json: bool,
) -> None:
    """Create a session in DIR.

    With an algorithm that learns from any duel (`duelbench list algorithms NAME`), many questions can be open at
    once, votes from elsewhere can be added, and arms can join and leave. An algorithm from your own file is tried
    first, as in `duelbench check`, and then runs in the command's own process.
    """
    from duelbench.sources.datasets import dataset
    from duelbench.votes.sessions.events import read_names
    from duelbench.votes.sessions.log import Log
    from duelbench.votes.sessions.session import Session

    Log(directory).check_new()
    names = read_names(arms)
    chosen = given_parameters(parameters, _RESERVED)
    instance = dataset("btl-uniform", None, {"arms": len(names)}, None)
    kind = tried_algorithm(algorithm, instance, "btl-uniform", chosen, horizon or 10_000)
    if kind.uses_horizon and horizon is None:
        raise UserError(f"{algorithm!r} must know the number of rounds: give --horizon")
    _compile(Session(algorithm, names, horizon=horizon, **chosen))
    session = Session.create(
        directory, algorithm, names, seed=seed, horizon=horizon, expires=expires, orders=orders, flip=flip, **chosen
    )
    if as_json:
        emit_json({"directory": str(directory), "algorithm": session.algorithm, "arms": list(session.names)})
        return
    place = one_line(shlex.quote(str(directory)))
    say(f"created a session of {session.algorithm} with {len(names)} arms in {place}. Next:\n")
    say(f"  duelbench session ask {place}")
    say(f"  duelbench session tell {place} 1 first")


def _compile(session: Session) -> None:
    """Compile the algorithm into the cache, so that judges need not wait. Prints a line if anything is compiled."""
    from numba.core import event

    class Announced(event.Listener):
        said = False

        def on_start(self, event: object) -> None:
            if not self.said:
                self.said = True
                say("compiling kernels (the first time only)…", err=True)

        def on_end(self, event: object) -> None:
            pass

    with event.install_listener("numba:compile", Announced()):
        for ask in session.ask():
            session.tell(ask.id, "first")


@command.command(epilog=example("session ask rankers --judge ann", "session ask rankers -n 5 --json"))
@_directory
@click.option(
    "-n", "number", type=WholeRange(1, 1_000), default=1, show_default=True, help="Number of questions, at most."
)
@_judge
@click.option("--item", metavar="ID", help="What the arms are compared on: no judge gets a pair twice on one item.")
@click.option("--orders", type=click.Choice(["one", "both"]), help="As for `new`, whose choice is the default.")
@_expires
@_accept
@_json
def ask(
    directory: Path,
    number: int,
    judge: str | None,
    item: str | None,
    orders: Orders | None,
    expires: float | None,
    accept_new_code: bool,
    as_json: bool,
) -> None:
    """Ask for the next comparisons.

    Prints the ID of each question and two arms, in the order in which to show them. The session resolves self-duels
    itself. A question in both orders has two IDs, and its answers make one vote. Votes on one --item are not
    independent: `duelbench rank DIR` and the standings take that into account.

    The exit code is 3 if nothing can be asked until answers arrive (an algorithm that learns only from its own duels
    has one open question at a time) or for another --item, and 4 if the algorithm needs no more votes.
    """
    from duelbench.votes.sessions.requests import AskRequest

    request = AskRequest(ask=number, judge=judge, expires=expires, item=item, orders=orders)
    reply = request.reply(_opened(directory, accept_new_code))
    if as_json:
        emit_json(reply)
    else:
        for each in reply["asks"]:
            say(f"{each['id']:<5} {each['first']}  or  {each['second']}")
        if "why" in reply:
            say(reply["why"], err=True)
    if reply["state"] != "asked":
        sys.exit(_NOTHING_YET if reply["state"] == "waiting" else FINISHED)


@command.command(epilog=example("session tell rankers 1 first --judge ann", "session tell rankers --votes old.csv"))
@_directory
@click.argument("ask_id", metavar="[ID]", type=int, required=False)
@click.argument("answer", type=click.Choice(["first", "second", "tie", "skip"]), required=False)
@click.option(
    "--judge", metavar="NAME", help="Name of the judge; with --votes, the column of the judges, which has no effect."
)
@click.option(
    "--votes",
    multiple=True,
    metavar="FILE",
    type=PATH,
    help="Add the votes of a file, in a format that `duelbench datasets build votes` reads; repeatable. The options "
    "below say how to read it.",
)
@click.option("--again", is_flag=True, help="With --votes: add votes that were added before.")
@vote_options(no_effect=("group",), without=("judge",))
@_accept
@_json
def tell(
    directory: Path,
    ask_id: int | None,
    answer: str | None,
    judge: str | None,
    votes: tuple[Path, ...],
    again: bool,
    reading: VoteFileOptions,
    accept_new_code: bool,
    as_json: bool,
) -> None:
    """Record the answer of a judge.

    ID is the number of the question; `skip` returns it unanswered. Answers may arrive in any order, and repeating the
    same answer is harmless. A tie reaches the algorithm as the toss of a coin. An answer that arrives after its
    question was given to another judge is recorded, and counts if the algorithm learns from any duel.
    """
    from duelbench.votes.sessions.requests import TellRequest

    if bool(votes) == (ask_id is not None) or (ask_id is not None and answer is None):
        raise UserError("give ID and first, second, tie or skip; or --votes FILE")
    if not votes and (unused := [*["again"] * again, *reading.given()]):
        raise UserError(f"--{unused[0].replace('_', '-')} is about how to read a file of votes: give --votes FILE")
    session = _opened(directory, accept_new_code)
    if votes:
        from duelbench.votes.reading.read import read_votes

        found = read_votes(votes, reading.model_copy(update={"judge": judge}), arms=session.all_counts.names)
        for problem in found.problems():
            warn(problem)
        source = one_line(", ".join(path.name for path in votes))[:200].strip()
        try:
            with warnings.catch_warnings(record=True, action="always") as noted:
                number = session.tell_votes(found, source or "votes", again=again)
        except UserError as error:
            error.source = error.source or ", ".join(map(str, votes))
            raise
        for each in noted:
            warn(f"note: {one_line(str(each.message))}")
        reply: Mapping[str, Any] = {"votes": number, "refused": found.refused_rows}
        said = f"{counted(number, 'vote')} added; {counted(found.refused_rows, 'row')} refused"
    else:
        assert ask_id is not None
        assert answer is not None
        reply = TellRequest.model_validate({"tell": ask_id, "answer": answer, "judge": judge}).reply(session)
        said = _said(reply)
    _print(reply, said, as_json)


def _said(reply: Mapping[str, Any]) -> str:
    """Describe a recorded answer or a returned question in one line."""
    if "skip" in reply:
        return f"question {reply['skip'][0]}: returned"
    if not reply["used"]:
        return f"question {reply['tell']}: {reply['answer']}; recorded, but {reply['why']}"
    return f"question {reply['tell']}: {reply['answer']}; {counted(reply['votes'], 'vote')} so far"


@command.command(epilog=example("session correct rankers 12 second"))
@_directory
@click.argument("ask_id", metavar="ID", type=int)
@click.argument("answer", metavar="first|second|tie", type=click.Choice(["first", "second", "tie"]))
@_judge
@_accept
@_json
def correct(directory: Path, ask_id: int, answer: str, judge: str | None, accept_new_code: bool, as_json: bool) -> None:
    """Replace an answer.

    The log keeps both answers. An algorithm that learns from any duel restarts with the corrected votes; any other
    keeps the answer that it has learned, and only the standings change.
    """
    from duelbench.votes.sessions.requests import CorrectRequest

    request = CorrectRequest.model_validate({"correct": ask_id, "answer": answer, "judge": judge})
    reply = request.reply(_opened(directory, accept_new_code))
    _print(reply, f"question {ask_id}: {answer}" + ("" if reply["used"] else f"; {reply['why']}"), as_json)


@command.command(epilog=example("session skip rankers 12 15", "session skip rankers --all --judge ann"))
@_directory
@click.argument("ids", metavar="[ID]...", type=int, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All open questions, or with --judge those of the judge.")
@_judge
@_accept
@_json
def skip(
    directory: Path,
    ids: tuple[int, ...],
    everything: bool,
    judge: str | None,
    accept_new_code: bool,
    as_json: bool,
) -> None:
    """Return open questions without an answer.

    They are the next to be asked, of another judge if possible.
    """
    from duelbench.votes.sessions.requests import SkipRequest

    if everything == bool(ids):
        raise UserError("give the IDs of questions, or --all")
    reply = SkipRequest(skip="all" if everything else [*ids], judge=judge).reply(_opened(directory, accept_new_code))
    _print(reply, f"{counted(len(reply['skip']), 'question')} returned", as_json)


@command.command(epilog=example("session export rankers -o votes.csv", "session export rankers --counts -o counts.csv"))
@_directory
@click.option("--counts", is_flag=True, help="Print the votes on each pair of arms, with those added by --votes.")
@click.option("-o", "--output", type=PATH, help="File to write.  [standard output]")
@_json
def export(directory: Path, counts: bool, output: Path | None, as_json: bool) -> None:
    """Print the votes as CSV.

    A row is the vote of a judge, also on a withdrawn arm, or with --counts a pair of arms that take part. `duelbench
    rank`, `advise` and `datasets build votes` read the file back unchanged, whatever the arms are called.
    """
    from dataclasses import asdict

    from duelbench.votes.sessions.requests import counts_reply
    from duelbench.votes.sessions.session import Session, votes_text
    from duelbench.votes.vote_table import counts_text

    session = Session.open(directory)
    added = session.imported
    if added and not counts:
        warn(f"note: {counted(added, 'vote')} added by --votes left out: --counts has them")
    if as_json:
        votes = [asdict(each) for each in session.votes]
        text = json.dumps({**counts_reply(session), "recommended": session.recommended} if counts else votes)
    else:
        text = (counts_text(session.counts) if counts else votes_text(session.votes)).rstrip("\n")
    if output is None:
        emit(text)
        return
    if output.exists():
        raise UserError(f"{output} exists already and is not overwritten: choose another name")
    write_whole(output, text + "\n")


@command.command(epilog=example("session add rankers new-model"))
@_directory
@click.argument("name")
def add(directory: Path, name: str) -> None:
    """Add an arm, or bring one back.

    The algorithm, which must learn from any duel (`duelbench list algorithms NAME`), restarts with all votes on the
    arms that take part.
    """
    session = _opened(directory, False)
    session.add(name)
    say(f"{one_line(name)} added: {len(session.names)} arms")


@command.command(epilog=example("session withdraw rankers old-model"))
@_directory
@click.argument("name")
def withdraw(directory: Path, name: str) -> None:
    """Withdraw an arm.

    Its votes are kept, and count again if it comes back; its open questions are closed.
    """
    session = _opened(directory, False)
    session.withdraw(name)
    say(f"{one_line(name)} withdrawn: {len(session.names)} arms")


@command.command(epilog=example("session schema"))
def schema() -> None:
    """Print the JSON schema of `serve`.

    It has the requests, and the replies, which are also those of --json.
    """
    from duelbench.votes.sessions.requests import schema

    emit_json(schema())


def _print(reply: Mapping[str, Any], said: str, as_json: bool) -> None:
    if as_json:
        emit_json(reply)
    else:
        say(said)


def _opened(directory: Path, accept_new_code: bool) -> Session:
    from duelbench.votes.sessions.session import Session

    return Session.open(directory, accept_new_code=accept_new_code)


_PORT = 8000
_THREADS = 8
_CONNECTIONS = 900
"""Maximum number of connections: a process may usually open 1,024 files and sockets. Idle ones cost little."""
_EVERYWHERE = ("0.0.0.0", "::")
_TOKEN = "web-token"
"""File in the session's directory with the secret part of links, so that links survive a restart."""


@command.command(
    epilog=example("session serve rankers", "session serve rankers --http --contents texts/ --items items.csv")
)
@_directory
@click.option("--http", is_flag=True, help="Serve pages for judges (pip install 'duelbench[web]'), until Ctrl-C.")
@click.option(
    "--host",
    metavar="ADDRESS",
    help="Address of this computer at which others, or a proxy, may reach it, such as 0.0.0.0 for any; links then "
    f"contain a secret token, from DIR/{_TOKEN}.  [127.0.0.1 without a token: this computer only]",
)
@click.option("--port", type=WholeRange(0, 65_535), help=f"Port; 0 for any that is free.  [{_PORT}]")
@click.option(
    "--contents",
    metavar="PATH",
    type=PATH,
    help="What judges see instead of the arms' names: a folder of ARM.md, .txt, .png, .jpg, …, or for "
    "an item ITEM/ARM.md; or a CSV file of columns arm, content (Markdown) and perhaps item.",
)
@click.option(
    "--items",
    metavar="FILE",
    type=PATH,
    help="CSV file of columns item and text (Markdown): each judge is asked about all items in turn.",
)
@_accept
def serve(
    directory: Path,
    http: bool,
    host: str | None,
    port: int | None,
    contents: Path | None,
    items: Path | None,
    accept_new_code: bool,
) -> None:
    """Answer requests of a program, or with --http those of a browser.

    Each line of standard input is a JSON request, and each line of standard output the reply:

    \b
      {"ask": 3, "judge": "ann", "item": "q17"}
      {"state": "asked", "asks": [{"id": 1, "first": "a", "second": "b"}]}
      {"tell": 1, "answer": "first", "judge": "ann"}
      {"tell": 1, "answer": "first", "used": true, "votes": 1}
      {"correct": 1, "answer": "tie"} or {"skip": [2, 3]} or {"skip": "all"}
      {"show": true} or {"add": "NAME"} or {"withdraw": "NAME"}

    A reply has the key of its request, but for "ask", "show", and changes of arms, which return all "arms". The
    reply to an invalid request is {"error": "..."}. The command ends with its input; other processes may use the
    session meanwhile.

    With --http, judges open a link with their name, see two arms side by side, and answer by click or key (←, →; E
    or ↓: equal; S skips, U undoes). A new question takes no answer in its first 0.4 seconds. Another page shows the
    standings, live.
    """
    from duelbench.votes.sessions.requests import replied
    from duelbench.votes.sessions.session import Session

    given = {"host": host, "port": port, "contents": contents, "items": items}
    for name, value in given.items():
        if value is not None and not http:
            raise UserError(f"--{name} is about pages for judges: give --http")
    session = Session.open(directory, accept_new_code=accept_new_code)
    if http:
        _serve_pages(session, directory, host, _PORT if port is None else port, contents, items)
        return
    for line in sys.stdin.buffer:
        if line.strip():
            emit_json(replied(session, line))


def _serve_pages(
    session: Session, directory: Path, given: str | None, port: int, contents: Path | None, items: Path | None
) -> None:
    from duelbench.cli.session_show import board
    from duelbench.votes.sessions.log import Log
    from duelbench.votes.sessions.session import Session

    try:
        from waitress.server import create_server

        from duelbench.votes.sessions.web import LOCAL, LONGEST_REQUEST, application
    except ImportError as error:
        missing = error.name or str(error)
        raise UserError(f"pages need {missing}, which is not installed: `pip install 'duelbench[web]'`") from None
    from duelbench.votes.sessions.web import Contents, read_contents, read_items

    texts = {} if items is None else read_items(items)
    found = Contents() if contents is None else read_contents(contents)
    for problem in found.problems(session.names, texts):
        warn(f"note: {problem}")
    Log(directory).check_writable()
    host, token = given or LOCAL[0], "" if given is None else _token(directory)
    app = application(session, Session.open(directory), board, found, texts, token)
    try:
        listening = socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=_CONNECTIONS
        )
    except OSError as error:
        raise UserError(
            f"port {port} of {host} cannot be used ({error.strerror}): choose another --port or --host, or end the "
            "program that uses it"
        ) from None
    server = create_server(
        app, sockets=[listening], threads=_THREADS, max_request_body_size=LONGEST_REQUEST, backlog=_CONNECTIONS,
        connection_limit=_CONNECTIONS, asyncore_use_poll=hasattr(select, "poll"), clear_untrusted_proxy_headers=False,
    )  # fmt: skip
    name = socket.gethostname() if host in _EVERYWHERE else f"[{host}]" if ":" in host else host
    link = f"http://{name}:{listening.getsockname()[1]}/" + (f"{token}/" if token else "")
    say(f"judges:     {link}?judge=NAME\nstandings:  {link}standings\nCtrl-C ends the server; no answer is lost.")
    sys.stdout.flush()
    server.run()
    say("ended")


def _token(directory: Path) -> str:
    """Return the secret part of links, created on first use. Raises UserError if others may know it."""
    path = directory / _TOKEN
    try:
        with open(path, "x", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(secrets.token_urlsafe(24))
    except FileExistsError:
        found = path.lstat().st_mode
        if not stat.S_ISREG(found) or (os.name == "posix" and found & 0o077):
            raise UserError(f"{path} is not a file that only you can read: remove it for a new token") from None
    except OSError as error:
        raise UserError(f"cannot write {path} ({error.strerror}): make sure that you may write there") from None
    token = path.read_text(encoding="utf-8", errors="replace").strip()
    if not re.fullmatch(r"[\w-]{20,}", token, re.ASCII):
        raise UserError(f"{path} has no token: remove it for a new one")
    return token
