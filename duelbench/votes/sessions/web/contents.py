"""What judges compare: the contents of arms, texts or images, and the items that these are about."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from duelbench.errors import UserError, did_you_mean
from duelbench.files import regular
from duelbench.votes.reading.formats import open_table
from duelbench.votes.reading.tables import faults
from duelbench.votes.sessions.creation import checked_name

_IMAGES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".svg": "image/svg+xml",
}  # fmt: skip
_TEXTS = (".md", ".txt")
_MOST_BYTES = 1 << 20
"""The size of the largest text."""


class Image:
    """An image in a file, and its ``kind``, the media type."""

    def __init__(self, path: Path) -> None:
        self.kind = _IMAGES[path.suffix.lower()]
        self._path, self._version = path, _version(path.stat())

    def read(self) -> bytes:
        """Return the content. Raises OSError if it is not the file that was there at the start."""
        nonblocking = getattr(os, "O_NONBLOCK", 0)  # opening a pipe may never end
        with open(self._path, "rb", opener=lambda path, flags: os.open(path, flags | nonblocking)) as file:
            if _version(os.fstat(file.fileno())) != self._version:
                raise OSError(f"{self._path} has changed: start the server again to show it")
            return file.read()


def _version(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class Content(NamedTuple):
    """The content of an arm, on one item or on all: a text, in Markdown or ``plain``, or an ``image``.

    ``place`` is where it was found, for messages.
    """

    arm: str
    item: str | None
    place: str
    text: str = ""
    plain: bool = False
    image: Image | None = None


class Contents:
    """The contents of arms by their names, as read from ``source``; without one, there are none."""

    def __init__(self, source: Path | None = None, found: Iterable[Content] = ()) -> None:
        self._source = source
        self._found: dict[tuple[str, str | None], Content] = {}
        for each in found:
            earlier = self._found.setdefault((each.arm, each.item), each)
            if earlier is not each:
                raise UserError(f"{each.place}: {each.arm!r} has a content already ({earlier.place}): remove one")

    def of(self, arm: str, item: str | None) -> Content | None:
        """Return the content of an arm on an item, or else its content on all items."""
        return self._found.get((arm, item)) or self._found.get((arm, None))

    def problems(self, arms: Sequence[str], items: Mapping[str, str]) -> Iterator[str]:
        """Yield sentences on contents of unknown arms or items, and on arms without content."""
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
    """Return the contents in a folder, of files ARM.md or ITEM/ARM.md, or in a file of columns arm, content and item.

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
                yield Content(path.stem, item, str(path), image=Image(regular(path)))
            else:
                text = regular(path, _MOST_BYTES).read_text(encoding="utf-8-sig")
                yield Content(path.stem, item, str(path), text, plain=kind == ".txt")


def read_items(path: Path) -> dict[str, str]:
    """Return the texts of items by their labels, in the order of a file of columns item and text.

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
    """Yield the line of each row, the cells of two columns, and that of the column item, empty without one."""

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
