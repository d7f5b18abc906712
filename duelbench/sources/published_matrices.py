"""Published preference matrices, with citations: shipped tables and downloads.

Downloads are stored in the directory ``DUELBENCH_DATA`` (an environment variable), by default in the user's cache.
The checksum of a file is verified before each read.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from duelbench.errors import UserError, did_you_mean
from duelbench.files import shipped, user_cache
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.matrix_files import load_matrix


@dataclass(frozen=True)
class Published:
    """A published preference matrix: its file, its title, its citation, and a note."""

    name: str
    file: str
    title: str
    citation: str
    note: str


class ShippedTable(Published):
    """A published preference matrix that is part of duelbench: a CSV file that begins with its description."""

    @property
    def path(self) -> Path:
        """The path of the file."""
        return shipped("datasets") / self.file

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return self.matrix().arms

    def matrix(self) -> PreferenceMatrix:
        """Read the matrix; errors name the table."""
        found = load_matrix(self.path)
        return PreferenceMatrix(found.P, source=self.name, names=found.names)


def _shipped_tables() -> Iterator[ShippedTable]:
    """Yield the tables whose files begin with the comments ``# title: …``, ``# citation: …`` and ``# note: …``."""
    for path in sorted(shipped("datasets").glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            comments = [line[2:].rstrip().partition(": ") for line in takewhile(lambda line: line[0] == "#", file)]
        said = {key: text for key, _, text in comments}
        if "title" in said:
            name = path.stem.replace("_", "-")
            yield ShippedTable(name, path.name, said["title"], said["citation"], said["note"])


TABLES = {each.name: each for each in _shipped_tables()}


VARIABLE = "DUELBENCH_DATA"
BASE_URL = (
    "https://raw.githubusercontent.com/nightingal3/duelling-bandits/da41c471d3c984f0fd2851ae91a573eb7623b234/data/"
)


def data_directory() -> Path:
    """Return the directory of downloads: ``DUELBENCH_DATA`` if it is set, else in the user's cache."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen)
    return user_cache() / "datasets"


@dataclass(frozen=True)
class Download(Published):
    """A published preference matrix that is fetched from ``BASE_URL``, with its SHA-256 and its number of arms."""

    sha256: str
    arms: int

    @property
    def path(self) -> Path:
        """The path of the file, if it has been downloaded."""
        return data_directory() / self.file

    def matrix(self) -> PreferenceMatrix:
        """Read the matrix. Raises UserError if it has not been fetched, or the file has another checksum."""
        if not self.path.is_file():
            raise UserError(
                f"{self.name} has not been downloaded: 'duelbench datasets fetch {self.name}' downloads it, "
                f"or set {VARIABLE} to the directory that holds {self.file}"
            )
        if not self._is_published():
            raise UserError(
                f"this is not {self.name} as published (its SHA-256 differs): "
                f"'duelbench datasets fetch {self.name}' replaces it",
                source=str(self.path),
            )
        return PreferenceMatrix(load_matrix(self.path).P, source=self.name)

    def fetch(self, progress: bool) -> bool:
        """Download the file if it is missing; return whether it was missing.

        The file appears only once it is complete and its checksum is right. ``progress`` shows a bar on stderr. Raises
        UserError if there is no connection, the checksum is wrong, or the file cannot be written.
        """
        if self._is_published():
            return False
        import pooch  # pooch and requests are slow to import
        from requests import exceptions

        url = BASE_URL + self.file
        store = pooch.create(data_directory(), BASE_URL, registry={self.file: f"sha256:{self.sha256}"})
        pooch.get_logger().setLevel("WARNING")
        remedy = f"try again, or get it from elsewhere and set {VARIABLE} to its directory"
        try:
            store.fetch(self.file, downloader=pooch.HTTPDownloader(progressbar=progress))
        except ValueError:
            raise UserError(f"{url} does not send the published file (its SHA-256 differs): {remedy}") from None
        except exceptions.RequestException as error:
            raise UserError(f"cannot download {url} ({type(error).__name__}): {remedy}") from None
        except OSError as error:
            raise UserError(
                f"cannot write to {data_directory()} ({error.strerror or error}): "
                f"set {VARIABLE} to a directory that you can write to"
            ) from None
        return True

    def _is_published(self) -> bool:
        try:
            return hashlib.sha256(self.path.read_bytes()).hexdigest() == self.sha256
        except OSError:
            return False


_ZOGHI = (
    "Zoghi, Karnin, Whiteson & de Rijke, Copeland Dueling Bandits, NIPS 2015 (from the Microsoft Learning to Rank data)"
)


def _mslr(model: str, sha256: str, note: str) -> Download:
    return Download(
        name=f"mslr-{model.lower()}",
        file=f"MSLR_{model}_PMat.npz",
        sha256=sha256,
        arms=136,
        title=f"MSLR, {model.lower()}",
        citation=_ZOGHI,
        note=f"136 rankers, one per feature of the data set, under the {model.lower()} click model. {note}",
    )


DOWNLOADS = {
    download.name: download
    for download in (
        _mslr(
            "Informational",
            "ef05eca2b7b27f63faaa292b0e88b17311560bf76124693354d953c702b7e9da",
            "No Condorcet winner: arm 114 is the Copeland winner (134 wins of 135).",
        ),
        _mslr(
            "Navigational",
            "302f4d88cba0bcace47a0e7a6e5bebdd8961b2ad912db9b682b3f2a9a05c3a94",
            "Arm 109 is the Condorcet winner.",
        ),
        _mslr(
            "Perfect",
            "5a8ea50334af26d1efc7c2a9731dc9336d96dbbc3ec8d741509e25b3324b55a5",
            "Arm 109 is the Condorcet winner.",
        ),
    )
}

SETS = {"mslr": tuple(DOWNLOADS.values())}
"""Sets of downloads with a common name."""


def fetchable() -> list[str]:
    """Return the names that ``to_fetch`` accepts: sets, then single matrices."""
    return [*SETS, *DOWNLOADS]


def to_fetch(name: str) -> tuple[Download, ...]:
    """Return the downloads of ``name``, a set or a single matrix. Raises UserError if there are none."""
    if name in SETS:
        return SETS[name]
    if name in DOWNLOADS:
        return (DOWNLOADS[name],)
    known = fetchable()
    raise UserError(f"there is no {name!r} to fetch{did_you_mean(name, known)}: choose among {', '.join(known)}")
