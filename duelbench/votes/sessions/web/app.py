"""The web application: who may see which page, and what a browser may do with it."""

from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import Any
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

from duelbench.errors import UserError
from duelbench.votes.sessions.creation import checked_name
from duelbench.votes.sessions.session import Session
from duelbench.votes.sessions.web.contents import Contents
from duelbench.votes.sessions.web.judging import Judging
from duelbench.votes.sessions.web.watching import Board, Watching

LONGEST_REQUEST = 20_000
"""Bytes of the body of a request."""
LOCAL = ("127.0.0.1", "localhost")
"""The names of this computer, at which others cannot reach it."""
_PROXIES = ("forwarded", "via", "x-forwarded", "x-real-ip")
"""How the headers begin that proxies add."""
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
    """Return the application. With a ``token`` all addresses begin with it; else they need one of the ``LOCAL`` names.

    ``watched`` is the same session, opened once more, so that judges do not wait for the standings.
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
        ask = judging.asked(request.args.get("judge", ""), number)
        content = ask and contents.of(getattr(ask, side), ask.item)
        if not (content and content.image):
            abort(404)
        try:
            data = content.image.read()
        except OSError as error:
            app.logger.error("%s", error)
            abort(404)
        # As an iterator it has no Content-Length, which would be the same for an arm on each question.
        return Response(iter([data]), mimetype=content.image.kind)

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
    """Return whether a request has passed a proxy: by a header, another origin, or HTTP/1.0, which no browser uses."""
    return (
        any(name.lower().startswith(_PROXIES) for name, _ in request.headers)
        or urlsplit(request.headers.get("Origin", request.host_url)).netloc != request.host
        or request.environ["SERVER_PROTOCOL"] == "HTTP/1.0"
    )
