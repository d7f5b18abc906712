"""The columns of the two arms and the outcome in a file: named by the user, or guessed from usual headers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import Field

from duelbench.errors import UserError, did_you_mean
from duelbench.sources.parameters import Parameters
from duelbench.sources.votes.layouts import Counts, Flags, Layout, Ranks, WinnerLoser, Winners

MARKS = (("a", "b"), ("1", "2"), ("first", "second"), ("left", "right"), ("home", "away"), ("white", "black"))
STEMS = (
    *("model", "system", "player", "team", "arm", "item", "option", "candidate", "variant", "generator"),
    *("assistant", "agent", "name", "policy", "ranker"),
)
FORMS = ("{stem}_{mark}", "{stem}_{mark}_name", "{mark}_{stem}")


def _marked(*stems: str) -> Iterator[tuple[str, str]]:
    for stem in stems:
        for first, second in MARKS:
            for form in FORMS:
                yield form.format(stem=stem, mark=first), form.format(stem=stem, mark=second)


SIDES = (*_marked(*STEMS), ("white_id", "black_id"), *MARKS)
"""Headers of the two arms, the most likely first; blanks, bars and dots between words do not matter."""
CONTENTS = tuple(_marked("prompt", "response", "answer", "text", "image"))
"""Headers of what was compared, which are those of the arms if no others are."""
OUTCOMES = (
    *("winner", "result", "outcome", "preference", "preferred", "chosen_model_name", "chosen", "choice", "vote"),
    *("judgment", "judgement", "verdict", "label", "winner_name", "ftr"),
)
TIES = ("winner_tie", "both_equal", "is_tie", "tie", "ties", "draw", "draws")
FLAGS = ("winner_{}", "{}_wins", "{}_won")
LOSERS = (("winner_name", "loser_name"), ("winner", "loser"), ("winning_model", "losing_model"))
WON = (
    *(("wins_first", "wins_second"), ("home_wins", "away_wins"), ("wins_a", "wins_b")),
    *(("wins_1", "wins_2"), ("win1", "win2")),
)
COUNTS = ("count", "counts", "weight", "times", "frequency")
"""Headers that look like those of a weight, which is not guessed."""
GROUPS = ("ranking_id", "ballot_id")
JUDGES = ("judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id", "judge_hash", "visitor_id")


class Columns(Parameters):
    """The columns that the user names; None is guessed.

    ``winner`` has the outcome or, with ``loser``, the name of the winning arm. Rows with the same ``group`` come from
    one ranking. ``weight`` is never guessed; ``judge`` and ``group`` may be missing.
    """

    first: str | None = Field(None, description="The column of the first arm. Default: guessed.")
    second: str | None = Field(None, description="The column of the second arm. Default: guessed.")
    winner: str | None = Field(None, description="The column of the outcome, or of the arm that has won.")
    loser: str | None = Field(None, description="The column of the arm that has lost, in place of first and second.")
    weight: str | None = Field(None, description="The column of what a row counts for. Default: 1 each.")
    judge: str | None = Field(
        None, description="The column of the judge. Default: guessed. Matrices do not depend on judges."
    )
    group: str | None = Field(
        None,
        description="The column of the ranking that a row is a part of. Default: guessed. Matrices do not depend on "
        "rankings.",
    )

    def check(self, header: Sequence[str]) -> None:
        """Raise UserError unless the file has each named column exactly once."""
        for field in Columns.model_fields:
            name = getattr(self, field)
            if name is not None:
                require(name, header)
        if self.loser and (self.first or self.second or not self.winner):
            raise UserError("name the columns of winner and loser, or those of first, second and winner")

    def judge_in(self, header: Sequence[str]) -> str | None:
        """Return the column with the judges' names, if any."""
        return self.judge or _known(header, JUDGES)

    def group_in(self, header: Sequence[str]) -> str | None:
        """Return the column that says which rows come from one ranking, if there is one."""
        return self.group or _known(header, GROUPS)

    def unused_weight(self, header: Sequence[str], layout: Layout) -> str | None:
        """Return a column that looks like a weight and is not used, if there is one."""
        unused = [name for name in header if name not in layout.columns]
        return None if self.weight else _known(unused, COUNTS)

    def layout(self, header: Sequence[str]) -> Layout:
        """Return the meaning of a row.

        Raises:
            UserError: a named column is missing, or it cannot be guessed.
        """
        self.check(header)
        if self.loser and self.winner:
            return WinnerLoser(self.winner, self.loser)
        if self.first and self.second:
            pair: tuple[str, str] | None = self.first, self.second
        elif self.first or self.second:
            raise UserError("name both columns, of the first arm and of the second")
        else:
            pair = _known_pair(header, SIDES)
            if not pair and not _without_sides(header):
                pair = _known_pair(header, CONTENTS)
        found = _between(pair, header, self.winner) if pair else None
        if not (self.first or self.winner):
            found = found or _without_sides(header)
        if found is None:
            if pair:
                versus = f"{pair[0]} against {pair[1]}"
                what = f"column holds the outcome of {versus}: name it with --winner (in a spec, winner)"
            else:
                what = (
                    "columns hold the two arms and the outcome: name them with --first, --second and --winner, or with "
                    "--winner and --loser (in a spec, first and so on)"
                )
            raise UserError(f"it is not clear which {what}; the columns are {listed(header)}")
        for name in found.columns:
            require(name, header)
        return found


def _between(pair: tuple[str, str], header: Sequence[str], winner: str | None) -> Layout | None:
    first, second = pair
    if winner:
        return Winners(first, second, winner, None)
    tie = _known(header, TIES)
    if won := _known_pair(header, WON):
        return Counts(first, second, *won, tie)
    forms = [(form.format(first), form.format(second)) for form in FLAGS]
    if won := _known_pair(header, forms):
        return Flags(first, second, *won, tie)
    if outcome := _known(header, OUTCOMES):
        return Winners(first, second, outcome, tie)
    return None


def _without_sides(header: Sequence[str]) -> Layout | None:
    if ranked := _ranked(header):
        return ranked
    if won := _known_pair(header, LOSERS):
        return WinnerLoser(*won)
    return None


def _ranked(header: Sequence[str]) -> Ranks | None:
    """Return the columns of WMT judgements: system1Id, system1rank, system2Id, and so on."""
    places = {plain(name): name for name in header}
    pairs = []
    for number in range(1, 100):
        arm = next((places[key] for key in (f"system{number}id", f"system{number}") if key in places), None)
        rank = next((places[key] for key in (f"system{number}rank", f"rank{number}") if key in places), None)
        if arm is None or rank is None:
            break
        pairs.append((arm, rank))
    return Ranks(tuple(pairs)) if len(pairs) > 1 else None


def plain(name: str) -> str:
    """Return a header in lower case, without separators between its words."""
    return re.sub(r"[\s._-]+", "", name.strip().casefold())


def _known(header: Sequence[str], candidates: Sequence[str]) -> str | None:
    found = {plain(name): name for name in reversed(header)}
    return next((found[plain(each)] for each in candidates if plain(each) in found), None)


def _known_pair(header: Sequence[str], candidates: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    found = {plain(name): name for name in reversed(header)}
    return next(
        ((found[plain(a)], found[plain(b)]) for a, b in candidates if plain(a) in found and plain(b) in found), None
    )


def require(name: str, header: Sequence[str]) -> None:
    """Raise UserError unless there is exactly one column with this name."""
    if name not in header:
        raise UserError(f"there is no column {name!r}{did_you_mean(name, header)}: the columns are {listed(header)}")
    if header.count(name) > 1:
        raise UserError(f"several columns are called {name!r}: call them differently")


def listed(header: Sequence[str]) -> str:
    """Return the first columns of a header, each short enough for a sentence."""
    some = [name if len(name) <= 40 else f"{name[:37]}…" for name in header[:20]]
    return ", ".join(map(repr, some)) + (" …" if len(header) > 20 else "")
