"""Games of chess and the like in PGN: the tags are the columns, and moves are skipped."""

import re
from collections import defaultdict, deque
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from duelbench.votes.reading.text import Refuse, Row, faults, text_in

_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_PAIR = "game pair"
"""The column of the two games of one opening with colours reversed, see ``terms.QUESTIONS``."""
_NOT_JUDGES = "Annotator"
"""Who commented the moves is no judge of the game."""


def is_pgn(beginning: str) -> bool:
    """Return whether a text begins with a tag."""
    return _TAG.match(beginning) is not None


class Games:
    """The tags of games, as a ``Table``; the line of a game is that of its first tag."""

    comments: Sequence[str] = ()
    note = ""

    def __init__(self, path: Path) -> None:
        self._path = path
        tags = dict.fromkeys(tag for _, game in self._games() for tag in game)
        self.columns = (*(tag for tag in tags if tag != _NOT_JUDGES), _PAIR)

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the games; see ``Table``."""
        alone: defaultdict[tuple[str, ...], deque[str]] = defaultdict(deque)
        for line, game in self._games():
            white, black, opening = game.get("White", ""), game.get("Black", ""), _opening(game)
            pair = str(line)
            if opening and (reversed_ := alone[black, white, opening]):
                pair = reversed_.popleft()
            elif opening:
                alone[white, black, opening].append(pair)
            yield line, tuple([pair if name == _PAIR else game.get(name, "") for name in names])

    def _games(self) -> Iterator[tuple[int, dict[str, str]]]:
        game: dict[str, str] = {}
        begin, among_tags = 0, False
        with faults(self._path), text_in(self._path) as stream:
            for number, line in enumerate(stream, 1):
                tagged = is_pgn(line)
                if tagged and not among_tags:
                    if game:
                        yield begin, game
                    game, begin = {}, number
                if tagged:
                    game.update((tag, re.sub(r"\\(.)", r"\1", value)) for tag, value in _TAG.findall(line))
                among_tags = tagged
        if game:
            yield begin, game


def _opening(game: Mapping[str, str]) -> str:
    """Return what the two games of a pair share: the position or the opening or else the round; empty if unknown."""
    found = game.get("FEN") or game.get("Opening") or game.get("Round", "").partition(".")[0]
    return "" if found in ("?", "-") else found
