"""Opening files of text, and what their readers yield and report."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from duelbench.errors import UserError

Refuse = Callable[[int, str], None]
Row = tuple[int, tuple[str, ...]]


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Convert errors of reading a file into UserError."""
    try:
        yield
    except FileNotFoundError:
        raise UserError("there is no such file", source=str(path)) from None
    except UnicodeDecodeError:
        raise UserError(
            "the file is not UTF-8 text: save it as UTF-8 (iconv -f latin1 -t utf-8 does that for old files)",
            source=str(path),
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise UserError("the compressed file is damaged or cut off", source=str(path)) from None
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None


@contextmanager
def text_in(path: Path) -> Iterator[io.TextIOBase]:
    """Open a file of UTF-8 text, which may be compressed by gzip."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        with io.TextIOWrapper(gzip.open(raw) if packed else raw, encoding="utf-8-sig", newline="") as text:
            yield text
