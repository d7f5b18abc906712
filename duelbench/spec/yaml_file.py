"""Reading YAML into plain data that keeps the line of every key and item.

Scalars follow YAML 1.2 rather than PyYAML's 1.1: only ``true`` and ``false`` are booleans (the label ``no`` is
text), ``1e6`` is a number, and dates and ``1:30`` are text. ``1_000_000`` is a number, as in Python.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from duelbench.errors import Key, UserError, did_you_mean

_MAX_REPEATED = 100_000
"""Maximum number of values that aliases repeat: a few lines of them can make billions."""

_EITHER_OR = {
    "horizon": ("horizons",),
    "horizons": ("horizon",),
    "runs": ("seeds", "only_runs"),
    "seeds": ("runs", "seed", "only_runs"),
}
"""Keys of a spec, and the keys that cannot be given with them."""

_INTEGER = re.compile(r"[-+]?\d+(_\d+)*", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_WORDS = {word: value for value in (True, False) for word in (str(value), str(value).lower(), str(value).upper())}
_NULLS = {"~", "null", "Null", "NULL"}
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SPECIAL = re.compile(r"([-+]?)\.(inf|Inf|INF|nan|NaN|NAN)")

# Patterns of PyYAML's messages with our replacements; the first match counts.
_SYNTAX = (
    (r"found character '\\t'", "YAML cannot be indented with tabs: use spaces"),
    (r"found character '(.)'", r"text that begins with {0} is special in YAML: put it in quotes"),
    (r"undefined alias|an alias|an anchor", "text that begins with * or & is special in YAML: put it in quotes"),
    (r"expected chomping", "text that begins with > or | is special in YAML: put it in quotes"),
    (r"found '([]}])'", r"'{0}' closes a bracket that was never opened: remove it"),
    (r"flow sequence", "this '[' is not closed as it should be: check its commas and its ']'"),
    (r"flow mapping", "this '{{' is not closed as it should be: check its commas and its '}}'"),
    (r"unknown escape", r"a \ in double quotes is special in YAML: use single quotes"),
    (r"quoted scalar", "a quote opens here and is never closed: close it"),
    (r"simple key", "this line has no ': ' after its key: write 'key: value', with the space"),
    (
        r"mapping values",
        "a second ': ' is not expected here: check the indentation, and put text with a ': ' in quotes",
    ),
    (r"sequence entries", "a list cannot begin here: put its first '- ' on a line of its own"),
    (r"single document", "a spec is a single YAML document: remove this '---' and what follows"),
    (
        r"expected <block end>|document start",
        "this line does not fit the lines above: check its indentation and quotes",
    ),
)


@dataclass(frozen=True)
class SpecFile:
    """The data of a spec file, the line (from 1) of each key path in it, and its text."""

    path: Path
    data: dict[str, Any]
    lines: Mapping[tuple[Key, ...], int]
    text: str = ""

    def line(self, key: tuple[Key, ...] = ()) -> int:
        """Return the line of ``key``, or of its nearest ancestor that is in the file."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 1)

    def error(self, message: str, key: tuple[Key, ...] = ()) -> UserError:
        """Return (not raise) an error that points at ``key``."""
        return UserError(message, source=str(self.path), line=self.line(key), key=key)

    def overlaid(self, block: str) -> SpecFile:
        """Return the source with the keys under ``block`` replacing the keys beside it.

        A new key also replaces its alternatives (``_EITHER_OR``). Each value keeps the line it is written on.
        """
        over = self.data[block]
        removed = {block, *over} | {key for new in over for key in _EITHER_OR.get(new, ())}
        data = {key: value for key, value in self.data.items() if key not in removed} | over
        lines = {key: line for key, line in self.lines.items() if not key or key[0] not in removed}
        inside = {key[1:]: line for key, line in self.lines.items() if len(key) > 1 and key[0] == block}
        return replace(self, data=data, lines=lines | inside)


def read(path: Path) -> SpecFile:
    """Read a YAML file whose top level is a mapping.

    Rejects what no spec needs and what would be ambiguous or unbounded: duplicate keys, empty values, tags, merge keys,
    and aliases that repeat more than ``_MAX_REPEATED`` values.

    Raises
    ------
    UserError
        With file and line, if the file cannot be read as such a mapping.
    """
    return parse(_text(path), path)


def parse(text: str, path: Path) -> SpecFile:
    """Return the source of a file with this text, as ``read`` does; error messages name ``path``."""
    root = _compose(text, str(path))
    reader = _NodeReader(str(path))
    if root is None or _plain(root) == "":
        raise reader.error("the spec is empty: begin with a line such as 'horizon: 1e6'")
    if not isinstance(root, yaml.MappingNode):
        raise reader.error("a spec consists of 'key: value' lines: begin with a line such as 'horizon: 1e6'", root)
    try:
        return SpecFile(path, reader.value(root, ()), reader.lines, text)
    except RecursionError:
        raise UserError(_TOO_DEEP, source=str(path), line=next(reversed(reader.lines.values()))) from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read()
    except FileNotFoundError:
        near = did_you_mean(path.name, (file.name for file in path.parent.glob("*.y*ml")))
        raise UserError(f"there is no such file: check the path{near}", source=str(path)) from None
    except IsADirectoryError:
        raise UserError("this is a directory: give the YAML file in it", source=str(path)) from None
    except OSError as error:
        raise UserError(f"the file cannot be read ({error.strerror}): check it", source=str(path)) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError("this is not UTF-8 text: save the file as UTF-8", source=str(path), line=line) from None


def _compose(text: str, source: str) -> yaml.Node | None:
    try:
        loader = yaml.BaseLoader(text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UserError(_CONTROL, source=source, line=line) from None
    try:
        return loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise UserError(_sentence(error), source=source, line=_place(error)) from None
    except RecursionError:
        raise UserError(_TOO_DEEP, source=source, line=loader.line + 1) from None


def _sentence(error: yaml.MarkedYAMLError) -> str:
    message = f"{error.context}: {error.problem}"
    for pattern, sentence in _SYNTAX:
        if match := re.search(pattern, message):
            return sentence.format(*match.groups())
    return f"this is not YAML ({error.problem}): check this line and the one above"


def _place(error: yaml.MarkedYAMLError) -> int:
    # Where a bracket, quote or key begins helps more than where the parser gave up on it.
    begins = error.context and re.search("flow|quoted|simple key", error.context)
    mark = error.context_mark if begins and "unknown escape" not in str(error.problem) else error.problem_mark
    return (mark.line if mark else 0) + 1


_CONTROL = "there is a control character here: delete it"
_TOO_DEEP = "this is nested too deeply, or an alias contains itself: write it flat"


class _NodeReader:
    """Turns nodes into data and records their lines."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: dict[tuple[Key, ...], int] = {}
        self.seen = set[int]()
        self.repeated = 0

    def error(self, message: str, node: yaml.Node | None = None) -> UserError:
        return UserError(message, source=self.source, line=_line(node) if node else 1)

    def value(self, node: yaml.Node, path: tuple[Key, ...]) -> Any:
        self.lines.setdefault(path, _line(node))
        self.repeated += id(node) in self.seen
        self.seen.add(id(node))
        if self.repeated > _MAX_REPEATED:
            raise self.error(f"aliases (*) repeat more than {_MAX_REPEATED:,} values here: use fewer", node)
        if not node.tag.startswith("tag:yaml.org,2002:") or node.tag.rpartition(":")[2] not in ("str", "seq", "map"):
            raise self.error("text that begins with ! is special in YAML: put it in quotes", node)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.item(item, (*path, index)) for index, item in enumerate(node.value)]
        if _UNPRINTABLE.search(node.value):
            raise self.error(_CONTROL, node)
        text = _plain(node)
        return node.value if text is None else scalar(text)

    def mapping(self, node: yaml.MappingNode, path: tuple[Key, ...]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, node_value in node.value:
            key = key_node.value
            if not isinstance(key, str):
                raise self.error("a key must be a word: put text that begins with { or [ in quotes", key_node)
            if _UNPRINTABLE.search(key):
                raise self.error(_CONTROL, key_node)
            if key == "<<":
                raise self.error("merge keys (<<) are not supported: write the keys out", key_node)
            if key in data:
                first = self.lines[*path, key]
                raise self.error(f"{key!r} is already given on line {first}: keep one", key_node)
            self.lines[*path, key] = _line(key_node)
            if _plain(node_value) == "" or (not path and _plain(node_value) in _NULLS):
                raise self.error(
                    f"{key!r} has no value: write one after the ':', indent the lines below it, or remove it", key_node
                )
            data[key] = self.value(node_value, (*path, key))
        return data

    def item(self, node: yaml.Node, path: tuple[Key, ...]) -> Any:
        if _plain(node) == "":
            raise self.error("this list item is empty: write a value or remove it", node)
        return self.value(node, path)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _plain(node: yaml.Node) -> str | None:
    """Return the text of an unquoted scalar."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) and node.style is None else None


def scalar(text: str) -> bool | int | float | str | None:
    """Return the value of unquoted ``text``."""
    if text in _WORDS or text in _NULLS:
        return _WORDS.get(text)
    if _INTEGER.fullmatch(text) and len(text) <= 100:  # Python refuses to turn thousands of digits into an int
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    if special := _SPECIAL.fullmatch(text):
        return float("".join(special.groups()))
    return text
