"""The web application: who may see which page, and what a browser may do with it."""

from collections.abc import Callable, Mapping, Sequence
from hmac import compare_digest
from threading import Lock
from typing import Any, NamedTuple

from flask import Blueprint, Flask, Response, abort, render_template, request, send_file
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

from duelbench.errors import UserError
from duelbench.votes.sessions.creation import checked_name
from duelbench.votes.sessions.session import Session
from duelbench.votes.sessions.web.contents import Contents
from duelbench.votes.sessions.web.judging import Judging

LONGEST_REQUEST = 20_000
"""Bytes of the body of a request."""
LOCAL = ("127.0.0.1", "localhost")
"""The names of this computer, at which others cannot reach it."""
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
    SecurityError: f"Please open the link as it was printed: it begins with http://{LOCAL[0]}.",
    UnsupportedMediaType: "Answers must be sent as JSON, as the page does.",
}


class Board(NamedTuple):
    """The standings as text: what they are of, the table, with the arms in its first column, and sentences."""

    head: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentences: Sequence[str]


def application(
    session: Session,
    watched: Session,
    board: Callable[[Session], Board],
    contents: Contents,
    items: Mapping[str, str],
    token: str = "",
) -> Flask:
    """Return the application. With a ``token`` all addresses begin with it; else they need one of the ``LOCAL`` names.

    ``watched`` is the same session, opened once more, so that judges do not wait for the standings.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_REQUEST
    app.config["TRUSTED_HOSTS"] = None if token else list(LOCAL)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable("image")
    app.add_template_filter(lambda text: Markup(markdown.render(text)), "markdown")
    pages, judging, watching = Blueprint("pages", __name__), Judging(session, list(items)), Lock()

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
        sent = request.get_json()
        if not isinstance(sent, dict):
            abort(400, "A request is a JSON object.")
        judge = checked_name(sent.get("judge"), "the name of a judge")
        turn = judging.turn(judge, sent)
        html = render_template("turn.html", judge=judge, turn=turn, contents=contents, items=items)
        return {"said": turn.said, "html": html}

    @pages.get("/content/<int:number>")
    def image(number: int) -> Response:
        if number >= len(contents.images):
            abort(404)
        return send_file(contents.images[number])

    @pages.get("/standings")
    def standings() -> str:
        with watching:
            watched.refresh()
            return render_template("standings.html", board=board(watched))

    @app.errorhandler(HTTPException)
    @app.errorhandler(UserError)
    def refused(error: HTTPException | UserError) -> ResponseReturnValue:
        if isinstance(error, UserError):
            code, said = 400, f"This is not possible: {error}."
        else:
            code = error.code or 500
            said = _SENTENCES.get(type(error)) or error.description or error.name
        return ({"said": said} if request.method == "POST" else render_template("base.html", said=said)), code

    @app.after_request
    def restrict(response: Response) -> Response:
        response.headers.update(_HEADERS)
        return response

    app.register_blueprint(pages, url_prefix="/<token>" if token else None)
    return app
