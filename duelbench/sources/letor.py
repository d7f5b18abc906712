"""Reading judged documents in the format of LETOR and MSLR, query by query.

A line is a document: ``<grade> qid:<query> <feature>:<value> … # comment``, features are numbered from 1, and missing
ones are 0; the lines of a query are consecutive. Files are read as streams.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.files import regular

MAX_FEATURE = 10_000
"""The largest number of a feature. The data sets have up to 700; each query is a dense table of all features."""


class Judged(NamedTuple):
    """The judged documents of a query: ``grades``, (documents,), and ``features``, (documents, features)."""

    grades: Ints
    features: Floats


def read_queries(
    files: Sequence[Path], features: Sequence[int] | None, top_grade: int, advance: Callable[[int], object]
) -> Iterator[Judged]:
    """Yield the queries of ``files``; ``advance`` receives the number of bytes read since its last call.

    ``features`` are the numbers of the features to keep, in this order. None keeps 1 … n, where n is the highest number
    in the first query.

    Raises:
        UserError: a line that does not follow the format; ``source`` and ``line`` say where.
    """
    reader = _Reader(features, top_grade)
    for path in files:
        try:
            with regular(path).open("rb") as stream:
                yield from reader.queries(str(path), stream, advance)
        except OSError as error:
            raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None


class _Reader:
    """The state of the reader after the lines read so far."""

    def __init__(self, features: Sequence[int] | None, top_grade: int) -> None:
        self._features = features
        self._named = features is not None
        self._top = top_grade
        self._path, self._line = "", 0
        self._layout: list[bytes] = []  # the feature numbers of the last line, as text
        self._numbers: list[int] = []  # the same as numbers

    def queries(self, path: str, stream: BinaryIO, advance: Callable[[int], object]) -> Iterator[Judged]:
        self._path = path
        current: bytes | None = None
        seen: set[bytes] = set()
        grades: list[int] = []
        documents: list[tuple[list[int], list[float]]] = []
        for self._line, raw in enumerate(stream, start=1):
            text = raw.partition(b"#")[0]
            if text.strip():
                grade, query, pairs = self._parts(text)
                if query != current:
                    if documents:
                        yield self._judged(grades, documents)
                    if query in seen:
                        self._refuse(
                            f"query {query[:40].decode(errors='replace')} appears again: keep its lines together"
                        )
                    seen.add(query)
                    current, grades, documents = query, [], []
                grades.append(self._grade(grade))
                documents.append(self._values(pairs))
            advance(len(raw))
        if not documents:
            raise UserError("the file has no documents", source=self._path)
        yield self._judged(grades, documents)

    def _refuse(self, why: str) -> NoReturn:
        raise UserError(why, source=self._path, line=self._line)

    def _parts(self, text: bytes) -> tuple[bytes, bytes, bytes]:
        grade, query, pairs = [*text.split(None, 2), b"", b""][:3]
        if not query.startswith(b"qid:") or query == b"qid:":
            self._refuse("a line is a grade, qid:<query> and <feature>:<value> pairs")
        return grade, query[4:], pairs

    def _grade(self, word: bytes) -> int:
        if not word.isdigit() or len(word) > 9 or int(word) > self._top:
            self._refuse(f"the grade is {_shown(word)}: it must be a whole number from 0 to {self._top}")
        return int(word)

    def _values(self, pairs: bytes) -> tuple[list[int], list[float]]:
        """Return the features' numbers and values; fast if the numbers are those of the previous line."""
        words = pairs.replace(b":", b" ").split()
        if words[::2] == self._layout and len(words) % 2 == 0 and pairs.count(b":") == len(self._layout):
            try:
                values = [float(word) for word in words[1::2]]
            except ValueError:
                values = [math.nan]
            if math.isfinite(sum(values)):
                return self._numbers, values
        numbers, values = list[int](), list[float]()
        for pair in pairs.split():
            number, colon, value = pair.partition(b":")
            try:
                if not colon:
                    raise ValueError
                numbers.append(int(number))
                values.append(float(value))
            except ValueError:
                self._refuse(f"{_shown(pair)} is not <feature>:<value>")
            if not 1 <= numbers[-1] <= MAX_FEATURE:
                self._refuse(
                    f"invalid feature number {numbers[-1]}: features are numbered from 1 to at most {MAX_FEATURE:,}"
                )
        if len(set(numbers)) < len(numbers):
            self._refuse("a feature appears twice in this line")
        if not all(map(math.isfinite, values)):
            self._refuse("every value must be a finite number")
        if self._features is not None and not self._named and numbers and max(numbers) > len(self._features):
            self._refuse(
                f"feature {max(numbers)} is not in the first query, which ends at {len(self._features)}: "
                f"name the features with --features"
            )
        self._layout, self._numbers = words[::2], numbers
        return numbers, values

    def _judged(self, grades: list[int], documents: list[tuple[list[int], list[float]]]) -> Judged:
        highest = max((max(numbers, default=0) for numbers, _ in documents), default=0)
        if self._features is None:
            self._features = range(1, highest + 1)
        table = np.zeros((len(documents), max(highest, *self._features, 0) + 1))
        for row, (numbers, values) in zip(table, documents, strict=True):
            row[numbers] = values
        return Judged(np.array(grades), table[:, list(self._features)])


def _shown(word: bytes) -> str:
    return repr(word[:40].decode(errors="replace"))
