"""``duelbench session serve``: a program sends requests, or judges open pages."""

from __future__ import annotations

import os
import re
import secrets
import select
import socket
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.inputs import WholeRange
from duelbench.cli.terminal import emit_json, example, say, warn
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.votes.sessions.session import Session

_LONGEST_LINE = 1_000_000
"""Bytes of a request."""
_PORT = 8000
_THREADS = 8
_CONNECTIONS = 900
"""A process may usually have 1,024 files and connections open. Idle and slow ones cost little."""
_EVERYWHERE = ("0.0.0.0", "::")
_TOKEN = "web-token"
"""The file in the session's directory with the secret part of links, which are the same after a restart."""

accept_new_code = click.option(
    "--accept-new-code",
    is_flag=True,
    help="Continue although the algorithm's code has changed: it restarts with the votes so far.",
)


@click.command(
    name="serve",
    epilog=example("session serve rankers", "session serve rankers --http --contents texts/ --items items.csv"),
)
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
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
    type=click.Path(path_type=Path),
    help="What judges see instead of the arms' names: a folder of ARM.md, .txt, .png, .jpg, …, or for "
    "an item ITEM/ARM.md; or a CSV file of columns arm, content (Markdown) and perhaps item.",
)
@click.option(
    "--items",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="CSV file of columns item and text (Markdown): each judge is asked about all items in turn.",
)
@accept_new_code
def command(
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
    from duelbench.votes.sessions.session import Session

    given = {"host": host, "port": port, "contents": contents, "items": items}
    for name, value in given.items():
        if value is not None and not http:
            raise UserError(f"--{name} is about pages for judges: give --http")
    session = Session.open(directory, accept_new_code=accept_new_code)
    if http:
        _serve_pages(session, directory, host, _PORT if port is None else port, contents, items)
    else:
        _answer_lines(session)


def _answer_lines(session: Session) -> None:
    from duelbench.votes.sessions.requests import replied

    lines = sys.stdin.buffer
    while line := lines.readline(_LONGEST_LINE):
        if not line.strip():
            continue
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := lines.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            emit_json({"error": f"this line is longer than {_LONGEST_LINE:,} bytes"})
            continue
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
    """Return the secret part of links, which is made once. Raises UserError if others may know it."""
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
