"""The votes of files one by one, with their judges and groups."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.votes.table import VoteTable


class Duel(NamedTuple):
    """Votes on one pair: how many prefer the first, the second, and neither."""

    first: str
    second: str
    wins_first: float
    wins_second: float
    ties: float


@dataclass
class FileRows:
    """The rows of a file, in order.

    ``cells`` are the places in ``meanings`` of what the rows say; ``weight`` is the number of votes that each stands
    for; ``judge`` and ``group`` are numbers from 0, −1 where unknown, and empty where the file has no such column.
    ``together``: the votes of a row come from one ranking.
    """

    together: bool
    cells: array[int] = field(default_factory=lambda: array("l"))
    weight: array[float] = field(default_factory=lambda: array("d"))
    judge: array[int] = field(default_factory=lambda: array("l"))
    group: array[int] = field(default_factory=lambda: array("l"))
    meanings: list[Sequence[Duel]] = field(default_factory=list)

    def add(self, duels: Sequence[Duel], times: int = 1) -> None:
        """Add rows with the same votes."""
        self.cells.extend([len(self.meanings)] * times)
        self.weight.extend([1.0] * times)
        self.meanings.append(duels)

    def rename(self, names: Mapping[str, str]) -> None:
        """Replace names of arms."""
        if names:
            self.meanings = [
                [duel._replace(first=names.get(duel[0], duel[0]), second=names.get(duel[1], duel[1])) for duel in duels]
                for duels in self.meanings
            ]


@dataclass(frozen=True)
class SingleVotes:
    """The rows of all files, the names of their judges, and whether ties count."""

    files: tuple[FileRows, ...]
    judges: tuple[str, ...]
    ties: bool

    def table(self, names: Sequence[str]) -> VoteTable:
        """Return the votes on arms with these names; a vote in no group has a group of its own."""
        place = {name: arm for arm, name in enumerate(names)}
        parts, groups = [], 0
        for file in self.files:
            arms, weight, judge, group = self._votes(file, place)
            kept = weight > 0
            parts.append((*arms[:, kept], weight[kept], judge[kept], groups + group[kept]))
            groups += int(group.max(initial=-1)) + 1
        columns = (np.concatenate(column) for column in zip(*parts, strict=True))
        first, second, outcome, weight, judge, group = columns
        return VoteTable(tuple(names), first, second, outcome, weight, judge, group, self.judges)

    def _votes(self, file: FileRows, place: dict[str, int]) -> tuple[Ints, Floats, Ints, Ints]:
        """Return first arm, second arm and outcome of each vote, shape (3, n), and its weight, judge and group."""
        meanings = [
            [
                (place[duel.first], place[duel.second], outcome, number)
                for duel in duels
                for outcome, number in ((1, duel.wins_first), (-1, duel.wins_second), (0, duel.ties))
                if number and (outcome or self.ties)
            ]
            for duels in file.meanings
        ]
        flat = np.array([vote for votes in meanings for vote in votes]).reshape(-1, 4).T
        size = np.array([len(votes) for votes in meanings], np.int64)
        cells = np.array(file.cells, np.int64)
        row = np.repeat(np.arange(len(cells)), size[cells])
        begins = np.cumsum(size[cells]) - size[cells]  # of the row among all votes
        vote = (np.cumsum(size) - size)[cells][row] + np.arange(len(row)) - begins[row]
        judge, group = (
            np.array(each, np.int64)[row] if each else np.full(len(row), -1, np.int64)
            for each in (file.judge, file.group)
        )
        alone = row if file.together else np.arange(len(row))
        group = np.where(group >= 0, group, alone + group.max(initial=-1) + 1)
        return flat[:3, vote].astype(np.int64), np.array(file.weight)[row] * flat[3, vote], judge, group
