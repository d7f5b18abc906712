"""What reaches the terminal: text of strangers' results and of names of files can neither steer it nor fake lines."""

from __future__ import annotations

import click

LONGEST = 2_000
"""Characters of an error message, or of another piece of text that is not ours."""


def one_line(text: object) -> str:
    """Return text, shortened, with what would break a line, steer a terminal or hide written as escapes.

    For whatever has been read or is the name of a file, before it is put between words of ours.
    """
    said = str(text)
    if len(said) > LONGEST:  # what is wrong stands at the beginning, what to do at the end
        said = f"{said[: LONGEST // 2]} … {said[-LONGEST // 4 :]}"
    return _escaped(said)


def say(text: object = "", *, err: bool = False) -> None:
    """Print lines; nothing in them but their ends does anything to the terminal."""
    click.echo("\n".join(map(_escaped, str(text).split("\n"))), err=err)


def _escaped(text: str) -> str:
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
