"""Read ballots in PrefLib formats: complete or incomplete orders of alternatives, with or without ties.

A header of ``# KEY: value`` lines precedes lines ``count: 8,5,{6,3},1``, best first, with ties in braces. Alternatives
are numbered from 1. Files from before 2022 have no ``#``. They state the number of alternatives, a line ``i,name`` for
each, a line ``voters,sum of counts,orders``, and then lines ``count,8,5,{6,3},1``. A line of a .pwg file has two
alternatives and the number of voters who prefer the first; this number comes last, or first before 2022. See Mattei &
Walsh, PrefLib: A Library for Preferences, ADT 2013.

For each pair of alternatives on a ballot, the higher one wins once per voter; alternatives in braces tie. The format
does not define whether alternatives that are not on the ballot were not compared or rank below all others, so the user
chooses.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from itertools import count as count_from
from pathlib import Path
from typing import Literal

from duelbench.errors import UserError
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.tables import Format, RawTable, ReadRow, lines_in, number_in

Unlisted = Literal["apart", "below"]
"""The meaning of alternatives missing from a ballot: not compared, or below all others."""
_ORDERS = (".soc", ".soi", ".toc", ".toi")
PREFLIB = (*_ORDERS, ".pwg", ".wmd", ".tog", ".mjg", ".wmg", ".cat")
"""The suffixes of PrefLib files; we do not read those after .pwg, which have no votes on pairs."""
MAX_VOTES = 5_000_000
"""The largest number of votes on pairs. In a larger file, votes are not grouped by voter."""
_ORDER = re.compile(r"(?:\d+|\{[\d,]*\})(?:,(?:\d+|\{[\d,]*\}))*", re.ASCII)
_Ballot = dict[int, int]
"""The rank of each alternative on a ballot."""


def ballots_table(path: Path, source: str, unlisted: Unlisted = "apart") -> RawTable:
    """Return the votes on pairs that ballots imply. The votes of a voter form a group, up to ``MAX_VOTES`` in a file.

    Raises UserError, with ``source`` and ``line``, for a file that does not follow the format.
    """
    with lines_in(path, source) as lines:
        content = [line.strip() for line in lines]
    suffix = Path(source).suffix.lower()
    if suffix not in PREFLIB:
        suffix = next((f".{line[12:].strip().lower()}" for line in content if line.startswith("# DATA TYPE:")), "")
    if suffix not in PREFLIB[:5]:
        why = f"ballots are read from {', '.join(_ORDERS)}, and pairs from .pwg: take one of these files"
        raise UserError(why, source=source)
    current = "".join(content[:1]).startswith("#")
    names, voters, begin = _header(content) if current else _old_header(content)
    if not 2 <= len({*names}) == len(names) <= MAX_ARMS:
        raise UserError(f"the header must name 2 to {MAX_ARMS:,} different alternatives", source=source)
    ballots: list[tuple[int, float, _Ballot]] = []
    for line, text in enumerate(content[begin:], begin + 1):
        cells = "".join(text.split())
        if cells and not cells.startswith("#"):
            try:
                ballots.append((line, *_ballot(cells, suffix, current, len(names))))
            except ValueError as error:
                raise UserError(str(error), source=source, line=line) from None
    number = sum(count for _, count, _ in ballots)
    if suffix in _ORDERS and voters not in (number, None):
        raise UserError(f"the header says {voters:g} voters, but there are {number:,g} ballots", source=source)
    votes = sum(count * len(ranks) * (len(ranks) - 1) / 2 for _, count, ranks in ballots)
    grouped = suffix in _ORDERS and votes <= MAX_VOTES

    def rows(chosen: Sequence[str]) -> Iterator[ReadRow]:
        places, voters = [columns.index(name) for name in chosen], count_from(1)
        for line, count, ranks in ballots:
            weight, times = ("1", int(count)) if grouped else (repr(count), 1)
            for voter in islice(voters, times):
                for pair in _pairs(ranks, names, unlisted if suffix in _ORDERS else "apart"):
                    cells = (*pair, weight, str(voter))
                    yield line, [cells[place] for place in places]

    columns = ("first", "second", "outcome", "weight", *["group"] * grouped)
    return RawTable(source, columns, rows, exact=True)


def _header(content: Sequence[str]) -> tuple[list[str], float | None, int]:
    """Return the names, the number of voters (None if not stated), and the number of lines of the header."""
    begin = next((place for place, text in enumerate(content) if not text.startswith("#")), len(content))
    pairs = (text[1:].partition(":") for text in content[:begin])
    found = {name.strip().upper(): value.strip() for name, _, value in pairs}
    number = int(min(number_in(found.get("NUMBER ALTERNATIVES", "")) or 0, 10**6))
    names = [found.get(f"ALTERNATIVE NAME {place}") or str(place) for place in range(1, number + 1)]
    return names, number_in(found.get("NUMBER VOTERS", "")), begin


def _old_header(content: Sequence[str]) -> tuple[list[str], float | None, int]:
    number = int(min(number_in("".join(content[:1])) or 0, len(content)))
    cells = [text.partition(",") for text in content[1 : number + 1]]
    totals = "".join(content[number + 1 : number + 2]).split(",")
    if [place.strip() for place, _, _ in cells] != [*map(str, range(1, number + 1))] or len(totals) != 3:
        return [], None, 0
    return [name.strip() or place.strip() for place, _, name in cells], number_in(totals[1]), number + 2


def _ballot(text: str, suffix: str, current: bool, size: int) -> tuple[float, _Ballot]:
    """Return the count of a line and the ranks of its alternatives, from 0. Raises ValueError if it is malformed."""
    if suffix == ".pwg":
        head, _, tail = text.rpartition(",") if current else text.partition(",")
        count, order = (tail, head) if current else (head, tail)
    else:
        count, _, order = text.partition(":" if current else ",")
    number = number_in(count)
    if number is None or not 0 < number <= 1e12 or (suffix != ".pwg" and number % 1) or not _ORDER.fullmatch(order):
        example = "1,2,7.5" if suffix == ".pwg" else "8: 5,{6,3},1"
        raise ValueError(f"a line is a count and an order of alternatives, such as {example}")
    groups = [each.strip("{}").split(",") for each in re.findall(r"\{[^}]*\}|\d+", order)]
    listed = [(int(text[:9]) - 1, rank) for rank, group in enumerate(groups) for text in group if text]
    ranks = dict(listed)
    if len(ranks) < len(listed) or not {*ranks} <= {*range(size)}:
        raise ValueError(f"a ballot has each alternative once, by a number from 1 to {size}")
    if "{" in order and suffix not in (".toc", ".toi"):
        raise ValueError(f"a {suffix} file has no ties: braces are allowed in .toc and .toi")
    least = {".soc": size, ".toc": size, ".pwg": 2}.get(suffix, 0)
    if len(ranks) < least or (suffix == ".pwg" and len(ranks) > 2):
        raise ValueError(f"a line of a {suffix} file has {least} alternatives, but this one has {len(ranks)}")
    return number, ranks


def _pairs(ranks: _Ballot, names: Sequence[str], unlisted: Unlisted) -> Iterator[tuple[str, str, str]]:
    """Yield the pairs of a ballot, each with its outcome."""
    for (one, high), (two, low) in combinations(ranks.items(), 2):
        yield names[one], names[two], "first" if high < low else "second" if low < high else "tie"
    if unlisted == "below":
        for one in ranks:
            yield from ((names[one], name, "first") for two, name in enumerate(names) if two not in ranks)


FORMAT = Format(PREFLIB, lambda path, source, *_: ballots_table(path, source))
