"""Read games in PGN (chess, for instance). Tags become columns; moves and comments are skipped.

Two games of the same engines from one opening, with colours reversed, are a pair of dependent votes. To find the pairs,
we collect games with the same engines, event and key into sets. Keys are tried in this order, and the first that
identifies the pairs is used for the whole file: Round; Round before its last point; FEN (across events); Opening. A set
is good if it has one game with each colour or, with FEN, equally many. A key identifies the pairs if good sets hold at
least 80 % of the games, and at most 5 % of the sets have several games but are not good. The position of a game in the
file does not matter.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from duelbench.errors import UserError
from duelbench.votes.reading.tables import Format, RawTable, ReadRow, Suits, lines_in
from duelbench.votes.vote_table import FEWEST_CLUSTERS

_TAG = re.compile(r'\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_COMMENT = re.compile(r"\s*(?:\{[^}]*\}|;.*)()()")
_RESULT = re.compile(r"(?:^|\s)(1-0|0-1|1/2-1/2|\*)\s*$")
_PAIR = "game pair"
"""The column that identifies the pairs of games."""
_KEYS = ("Round", "Round before its last point", "FEN", "Opening")
Game = Mapping[str, str]


def _games(path: Path, source: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the tags of each game, and as ``end`` the result after its moves."""
    game: dict[str, str] = {}
    begin, brace, among_tags = 1, 0, False
    with lines_in(path, source) as lines:
        for number, line in enumerate(lines, start=1):
            if brace:
                _, closed, line = line.partition("}")
                if not closed:
                    continue
                brace = 0
            elif line.startswith("%"):
                continue
            elif not line.strip():
                among_tags = False
            while found := _TAG.match(line) or _COMMENT.match(line):
                line = line[found.end() :]
                if not found[1]:
                    continue
                if "end" in game or (found[1] in game and not among_tags):
                    yield begin, game
                    game = {}
                if found[1] in game:
                    raise UserError(f"this game has a second tag {found[1]}", source=source, line=number)
                begin = begin if game else number
                game[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
                among_tags = True
            moves, opened, _ = _COMMENT.sub(" ", line).partition("{")
            brace = number if opened else 0
            if moves.strip():
                if game.get("end"):  # these are the moves of a game without tags
                    yield begin, game
                    game, begin = {}, number
                result = _RESULT.search(moves)
                game["end"] = result[1] if result else ""
                among_tags = False
    if brace:
        raise UserError("the comment that begins here does not end: a brace is missing", source=source, line=brace)
    if game:
        yield begin, game


def games_table(path: Path, source: str, delimiter: str | None, suits: Suits) -> RawTable:
    """Read the games of a file. Without a Result tag, we use the result after the moves."""
    found = list(_games(path, source))
    games = [game for _, game in found]
    if not any(game.keys() - {"end"} for game in games):
        raise UserError("the file holds no games", source=source)
    groups, told_by = _pairs_of(games)
    other = [line for line, game in found if game.get("end") and game.get("Result", game["end"]) != game["end"]]
    missing = sum("Result" not in game for game in games)
    notes = []
    if other:
        notes.append(
            f"{len(other):,} of {len(games):,} games end with another result than that of their tag, which counts "
            f"(line {other[0]:,})"
        )
    if missing:
        notes.append(f"{missing:,} of {len(games):,} games have no tag Result: the result behind the moves counts")
    if told_by:
        number = len({*groups} - {""})
        notes.append(f"{number:,} groups of {len(games):,} games: pairs with colours reversed, by {told_by}")
    elif _mostly_reversed(games):
        notes.append("no tag says which games are pairs with colours reversed: all are taken as independent")
    columns = dict.fromkeys([*(tag for game in games for tag in game if tag != "end"), "Result"])

    def rows(names: Sequence[str]) -> Iterator[ReadRow]:
        for (line, game), group in zip(found, groups, strict=True):
            cells = {"Result": game.get("end", ""), **game, _PAIR: group}
            yield line, [cells.get(name, "") for name in names]

    return RawTable(source, (*columns, _PAIR), rows, notes=tuple(notes), group=_PAIR if told_by else None, tags=True)


def _pairs_of(games: Sequence[Game]) -> tuple[list[str], str]:
    """Return the pair of each game (empty for none), and the key that identifies the pairs (empty if no key does)."""
    engines = {name for game in games for name in _players(game)}
    for key in _KEYS:
        sets: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, game in enumerate(games):
            value = game.get(key.partition(" ")[0], "")
            if key.endswith("point"):
                value = value.rpartition(".")[0]
            if value.strip("?-"):
                event = "" if key == "FEN" else game.get("Event", "")
                sets[(*sorted(_players(game)), event, value)].append(place)
        good = {name for name, places in sets.items() if _balanced([games[each] for each in places], key == "FEN")}
        bad = sum(len(places) > 1 for name, places in sets.items() if name not in good)
        held = sum(len(sets[name]) for name in good)
        if held < 0.8 * len(games) or bad > 0.05 * len(sets):
            continue
        if held > 2 * len(good) and len(good) < FEWEST_CLUSTERS * len(engines):
            continue  # many games from few positions: too few groups
        groups = [""] * len(games)
        for number, name in enumerate(sorted(good), start=1):
            for place in sets[name]:
                groups[place] = str(number)
        return groups, key
    return [""] * len(games), ""


def _players(game: Game) -> tuple[str, str]:
    return game.get("White", ""), game.get("Black", "")


def _balanced(games: Sequence[Game], several: bool) -> bool:
    """Return whether each colour assignment has one game or, with ``several``, both equally many."""
    colours = Counter(map(_players, games))
    return len(colours) == 2 and len(set(colours.values())) == 1 and (several or len(games) == 2)


def _mostly_reversed(games: Sequence[Game]) -> bool:
    """Return whether at least 80 % of the games can be matched with a game with colours reversed."""
    colours = Counter(map(_players, games))
    return sum(min(number, colours[black, white]) for (white, black), number in colours.items()) >= 0.8 * len(games)


FORMAT = Format((".pgn",), games_table, begins=r'\[\w+\s+"')
