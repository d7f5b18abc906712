"""Serve a session to browsers: contents to compare, questions for judges, and the standings."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hmac import compare_digest
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, abort, render_template, request
from flask.typing import ResponseReturnValue
from markdown_it import MarkdownIt
from markupsafe import Markup
from werkzeug.exceptions import (
    HTTPException,
    NotFound,
    RequestEntityTooLarge,
    SecurityError,
    UnsupportedMediaType,
)

from duelbench.errors import UserError, did_you_mean
from duelbench.files import regular
from duelbench.votes.reading.formats import open_table
from duelbench.votes.reading.tables import faults
from duelbench.votes.sessions.events import Answer, Question, checked_name
from duelbench.votes.sessions.session import Session

_IMAGES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".svg": "image/svg+xml",
}  # fmt: skip
_TEXTS = (".md", ".txt")
_MOST_BYTES = 1 << 20
"""The size of the largest text, in bytes."""


class Content(NamedTuple):
    """The content of an arm for one item, or for all: a text, in Markdown or ``plain``, or an ``image``.

    ``place`` is its file or line, for messages.
    """

    arm: str
    item: str | None
    place: str
    text: str = ""
    plain: bool = False
    image: Path | None = None


class Contents:
    """The contents of arms, read from ``source``; None if there are no contents."""

    def __init__(self, source: Path | None = None, found: Iterable[Content] = ()) -> None:
        self._source = source
        self._found: dict[tuple[str, str | None], Content] = {}
        for each in found:
            earlier = self._found.setdefault((each.arm, each.item), each)
            if earlier is not each:
                raise UserError(f"{each.place}: {each.arm!r} has a content already ({earlier.place}): remove one")

    def of(self, arm: str, item: str | None) -> Content | None:
        """Return the content of an arm for an item, or else its content for all items."""
        return self._found.get((arm, item)) or self._found.get((arm, None))

    def problems(self, arms: Sequence[str], items: Mapping[str, str]) -> Iterator[str]:
        """Yield warnings: contents of unknown arms or items, empty contents, and arms without content."""
        for each in self._found.values():
            if each.arm not in arms:
                yield f"{each.place}: there is no arm {each.arm!r}{did_you_mean(each.arm, arms)}"
            elif each.item is not None and items and each.item not in items:
                yield f"{each.place}: --items has no item {each.item!r}{did_you_mean(each.item, items)}"
            elif not (each.image or each.text.strip()):
                yield f"{each.place}: the content of {each.arm!r} is empty: judges see its name instead"
        if not items and any(each.item is not None for each in self._found.values()):
            yield f"{self._source}: judges see contents on items only with --items"
        pairs = [(arm, item) for item in items or (None,) for arm in arms] if self._source else []
        missing = [(arm, item) for arm, item in pairs if self.of(arm, item) is None]
        if missing:
            on = "".join(f" on item {item!r}" for _, item in missing[:1] if item)
            more = f", and {len(missing) - 1:,} more" if missing[1:] else ""
            yield f"{self._source}: there is no content of {missing[0][0]!r}{on}{more}: judges see names instead"


def read_contents(path: Path) -> Contents:
    """Read contents from a folder with files ARM.md or ITEM/ARM.md, or a table with columns arm, content and item.

    Raises UserError with file and line.
    """
    if path.is_dir():
        return Contents(path, _in_folder(path))
    rows = _rows(path, "arm", "content")
    return Contents(path, (Content(arm, item or None, f"{path}:{line}", text) for line, arm, text, item in rows))


def _in_folder(folder: Path) -> Iterator[Content]:
    for path in sorted([*folder.glob("*"), *folder.glob("*/*")]):
        kind = path.suffix.lower()
        if kind not in (*_IMAGES, *_TEXTS) or path.name.startswith("."):
            continue
        if not path.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"this is a link to a file outside of {folder}: copy the file", source=str(path))
        item = None if path.parent == folder else path.parent.name
        with faults(path):
            if kind in _IMAGES:
                yield Content(path.stem, item, str(path), image=regular(path))
            else:
                text = regular(path, _MOST_BYTES).read_text(encoding="utf-8-sig")
                yield Content(path.stem, item, str(path), text, plain=kind == ".txt")


def read_items(path: Path) -> dict[str, str]:
    """Read the texts of items by label from a table with the columns item and text; their order is kept.

    Raises UserError with file and line.
    """
    found: dict[str, str] = {}
    for line, item, text, _ in _rows(path, "item", "text"):
        try:
            if checked_name(item, "the label of an item") in found:
                raise UserError(f"item {item!r} comes twice: give each item a different label")
        except UserError as error:
            raise UserError(error.message, source=str(path), line=line) from None
        found[item] = text
    if not found:
        raise UserError("there are no items: write a row for each item", source=str(path))
    return found


def _rows(path: Path, label: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line of each row, the cells of two columns, and the cell of the column item (empty without one)."""
    try:
        table = open_table(path)
    except UserError as error:  # there is no --delimiter
        raise UserError(error.message.partition(" (--")[0], source=error.source, line=error.line) from None
    for name in (label, text):
        if name not in table.columns:
            have = ", ".join(table.columns[:9])
            raise UserError(f"there is no column {name!r}, but {have}: rename one", source=str(path), line=1)
    for line, cells in table.rows([label, text, *["item"] * ("item" in table.columns)]):
        if isinstance(cells, str):
            why = f"{cells}: correct this row (a text with a comma in it needs quotation marks)"
            raise UserError(why, source=str(path), line=line)
        yield line, cells[0].strip(), cells[1], "".join(cells[2:]).strip()


_AGAIN = "No other question can be asked at the moment, so this one comes again."
_ANSWERED = "This question was answered already, perhaps in another window: this answer was not recorded."
_FINISHED = "That was all: no more answers are needed. Thank you!"
_FOREIGN = "You were not asked this question, so the answer was not recorded."
_HAD_ALL = "You have had all questions that there are for you now. Thank you! New ones appear here by themselves."
_UNKNOWN = "The answer was not recorded: it is first, second or tie."
_WAITING = "Answers of other judges are needed before the next question. It appears here by itself."


class Turn(NamedTuple):
    """The content of a judge's page: a ``question``, or the reason ``why`` there is none.

    ``given`` is the answer to be corrected, if any, ``done`` the number of answers, and ``said`` refers to the request.
    """

    done: int
    said: str = ""
    question: Question | None = None
    given: Answer | None = None
    why: str = ""


class Judging:
    """A session and its judges, who may answer at the same time."""

    def __init__(self, session: Session, items: Sequence[str]) -> None:
        self._session = session
        self._items: Sequence[str | None] = [*items] or [None]
        self._lock = threading.Lock()

    def asked(self, judge: str, number: int) -> Question | None:
        """Return a question if this judge was asked it."""
        with self._lock:
            return next((question for question in self._session.asked(judge) if question.id == number), None)

    def turn(self, judge: str, request: Mapping[str, Any]) -> Turn:
        """Carry out a judge's request (``tell``, ``correct`` or ``{"undo": true}``), and return the next turn.

        Raises UserError if the session cannot be read or written.
        """
        with self._lock:
            self._session.refresh()
            asked, answers = (
                {question.id: question for question in self._session.asked(judge)},
                self._session.answered(judge),
            )
            if "undo" in request and answers:
                last = next(reversed(answers))
                return Turn(len(answers), question=asked[last], given=answers[last])
            verb = next((verb for verb in ("tell", "correct") if verb in request), "")
            number, answer = request.get(verb), request.get("answer")
            about = asked.get(number) if type(number) is int else None
            said = self._answer(judge, verb, about, answer, answers) if verb else ""
            found = self._next(judge)
            if answer == "skip" and about and not said and found.question and _matter(about) == _matter(found.question):
                said = _AGAIN
            return found._replace(said=said)

    def _answer(
        self, judge: str, verb: str, question: Question | None, answer: Any, answers: Mapping[int, Answer]
    ) -> str:
        """Record an answer; return a sentence if it is refused, for example if the judge was not asked."""
        if question is None or (verb == "correct" and question.id not in answers):
            return _FOREIGN
        if answer not in ("first", "second", "tie") and (verb, answer) != ("tell", "skip"):
            return _UNKNOWN
        if verb == "tell" and question.id in answers:
            return "" if answers[question.id] == answer else _ANSWERED
        if answer == "skip":
            self._session.skip(question.id, judge)
        elif verb == "tell":
            self._session.tell(question.id, answer, judge)
        else:
            self._session.correct(question.id, answer, judge)
        return ""

    def _next(self, judge: str) -> Turn:
        """Return the judge's open question, or a new one on the item that they had least often.

        In both orders, another question comes in between if possible, so that the judge does not just repeat an answer.
        """
        session = self._session
        answers = session.answered(judge)
        done, last = len(answers), next(reversed(answers), None)
        waiting = [question for question in session.open_questions if question.judge == judge]
        other = next((question for question in waiting if question.swap_of is None or question.swap_of != last), None)
        if other is not None:
            return Turn(done, question=other)
        had = Counter(question.item for question in session.asked(judge) if question.swap_of is None)
        for item in sorted(self._items, key=had.__getitem__):
            questions = session.ask(1, judge, item=item)
            if questions:
                return Turn(done, question=questions[0])
            if session.finished:
                return Turn(done, why=_FINISHED)
            if session.waiting:
                break
        if waiting:
            return Turn(done, question=waiting[0])
        return Turn(done, why=_WAITING if session.waiting else _HAD_ALL)


def _matter(question: Question) -> tuple[set[str], str | None]:
    """Return the arms and the item of a question."""
    return {question.first, question.second}, question.item


class Board(NamedTuple):
    """The standings as text: a headline, a table with the arms in its first column, and sentences."""

    head: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    sentences: Sequence[str] = ()


class Watching:
    """The latest standings. A thread computes them on demand, at most once for each state of the log."""

    def __init__(self, session: Session, board: Callable[[Session], Board]) -> None:
        self._session, self._board = session, board
        self._latest, self._known = Board("These are computed now, and appear here by themselves."), False
        self._wanted = Event()
        Thread(target=self._follow, daemon=True).start()

    def latest(self) -> Board:
        """Return the latest standings, and start computing new ones if there are new votes."""
        self._wanted.set()
        return self._latest

    def _follow(self) -> None:
        while self._wanted.wait():
            self._wanted.clear()
            began = time.monotonic()
            try:
                if self._session.refresh() or not self._known:
                    self._latest, self._known = self._board(self._session), True
            except Exception as error:
                print(f"error: no standings: {error}", file=sys.stderr, flush=True)
                self._latest, self._known = Board("They cannot be computed at the moment."), False
            time.sleep(time.monotonic() - began)  # leave half of the time to judges


LONGEST_REQUEST = 20_000
"""The largest number of bytes in the body of a request."""
LOCAL = ("127.0.0.1", "localhost")
"""Names of this computer at which others cannot reach it."""
_PROXIES = ("forwarded", "via", "x-forwarded", "x-real-ip")
"""Beginnings of the headers that proxies add."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_SENTENCES: Mapping[type[HTTPException], str] = {
    NotFound: "This link is not valid. Please ask the person who sent it to you for the right one.",
    RequestEntityTooLarge: "This is too long for an answer.",
    SecurityError: f"Please open the link as it was printed: it begins with http://{LOCAL[0]}. Other computers "
    "and proxies need one with a token (session serve --http --host ADDRESS).",
    UnsupportedMediaType: "Answers must be sent as JSON, as the page does.",
}
_FAULT = (
    "The server cannot go on at the moment; earlier answers are kept. Please tell the person who sent you the link."
)


def application(
    session: Session,
    watched: Session,
    board: Callable[[Session], Board],
    contents: Contents,
    items: Mapping[str, str],
    token: str = "",
) -> Flask:
    """Make the Flask application. With a ``token``, all paths begin with it; else only ``LOCAL`` hosts are served.

    ``watched`` is the same session opened a second time, so that judges do not wait for the standings.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_REQUEST
    app.config["TRUSTED_HOSTS"] = None if token else list(LOCAL)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable("image")
    app.add_template_filter(lambda text: Markup(markdown.render(text)), "markdown")
    pages, judging, watching = Blueprint("pages", __name__), Judging(session, list(items)), Watching(watched, board)

    @app.before_request
    def check_local() -> None:
        if not token and _is_forwarded():
            raise SecurityError

    @pages.url_value_preprocessor
    def check_token(_: str | None, values: dict[str, Any] | None) -> None:
        if token and not compare_digest((values or {}).pop("token", "").encode(), token.encode()):
            abort(404)

    @pages.get("/")
    def judge_page() -> str:
        name = request.args.get("judge", "").strip()
        try:
            return render_template("base.html" if name else "name.html", judge=name and checked_name(name, "Your name"))
        except UserError as error:
            return render_template("name.html", said=error.message)

    @pages.post("/")
    def next_turn() -> ResponseReturnValue:
        try:
            sent = request.get_json()
        except RecursionError:
            abort(400, "This is nested too deep for a request.")
        if not isinstance(sent, dict):
            abort(400, "A request is a JSON object.")
        try:
            judge = checked_name(sent.get("judge"), "the name of a judge")
        except UserError as error:
            abort(400, f"This is not possible: {error}.")
        turn = judging.turn(judge, sent)
        html = render_template("turn.html", judge=judge, turn=turn, contents=contents, items=items)
        return {"said": turn.said, "html": html}

    @pages.get("/content/<int:number>/<any(first, second):side>")
    def image(number: int, side: str) -> Response:
        question = judging.asked(request.args.get("judge", ""), number)
        content = question and contents.of(getattr(question, side), question.item)
        if not (content and content.image):
            abort(404)
        try:
            data = regular(content.image).read_bytes()
        except OSError as error:
            app.logger.error("%s", error)
            abort(404)
        # An iterator has no Content-Length, by which judges could recognise an arm across questions.
        return Response(iter([data]), mimetype=_IMAGES[content.image.suffix.lower()])

    @pages.get("/standings")
    def standings() -> str:
        return render_template("standings.html", board=watching.latest())

    @app.errorhandler(Exception)
    def refused(error: Exception) -> ResponseReturnValue:
        if isinstance(error, HTTPException):
            code, said = error.code or 500, _SENTENCES.get(type(error)) or error.description or error.name
        else:
            code, said = 500, _FAULT
            app.logger.error("%s", error, exc_info=not isinstance(error, UserError))
        return ({"said": said} if request.method == "POST" else render_template("base.html", said=said)), code

    @app.after_request
    def restrict(response: Response) -> Response:
        response.headers.update(_HEADERS)
        return response

    app.register_blueprint(pages, url_prefix="/<token>" if token else None)
    return app


def _is_forwarded() -> bool:
    """Detect requests that passed a proxy: by a header, another origin, or HTTP/1.0, which no browser uses."""
    return (
        any(name.lower().startswith(_PROXIES) for name, _ in request.headers)
        or urlsplit(request.headers.get("Origin", request.host_url)).netloc != request.host
        or request.environ["SERVER_PROTOCOL"] == "HTTP/1.0"
    )
