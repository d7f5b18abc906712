r"""A table in LaTeX, for ``\input`` in a paper: with the rules of booktabs, and no other package, for any engine."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from matplotlib.mathtext import MathTextParser

from duelbench.analysis.tables.grid import Entry, Grid, Head, lay_out
from duelbench.analysis.tables.rounding import grouped
from duelbench.analysis.tables.table import Table
from duelbench.spec.titles import plain, round_number

COLUMN_OF_A_PAPER = 50
"""Characters of a line that fit into one of two columns; of more the table is as wide as the page."""

NARROW = 14
"""Characters of a heading of one column; what is longer has several lines."""

_WORD = r"(?:(?<!\\)\$(?:\\.|[^$\\])*\$|\\.|[^\s])+"
_UNBROKEN = re.compile(rf"{_WORD}(?: = {_WORD})?", re.DOTALL)
"""A word with all of the mathematics in it, or an equation of two."""
_DOLLAR = re.compile(r"(?<!\\)\$")
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
    "|": r"$|$", "\"": "''", "–": "--", "—": "---", "…": r"\dots{}", "†": r"$^\dagger$", "‡": r"$^\ddagger$",
    **{each: rf"\{each}" for each in "&%#_{}$"},
}  # fmt: skip
_SIGNS = {
    "±": r"\pm", "×": r"\times", "·": r"\cdot", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx",
    "∞": r"\infty", "→": r"\to", "ζ": r"\zeta", "−": "-", "≻": r"\succ", "≺": r"\prec", "ℓ": r"\ell",
}  # fmt: skip


def latex(table: Table, transposed: bool = False) -> str:
    """Return a ``table`` with its caption, or a ``table*`` where it is too wide for a column of a paper."""
    grid = lay_out(table, round_number, transposed)
    body = _body(grid)
    wide = "*" if _characters(grid) > COLUMN_OF_A_PAPER else ""
    caption = " ".join([grid.title, *grid.notes])
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            rf"\begin{{table{wide}}}",
            r"  \centering",
            rf"  \caption{{{escaped(caption)}}}",
            rf"  \label{{tab:{re.sub(r'[^A-Za-z0-9.-]', '-', table.name)}}}",
            rf"  \begin{{tabular}}{{l{'r' * len(grid.across)}}}",
            *(f"    {line}" for line in body),
            r"  \end{tabular}",
            rf"\end{{table{wide}}}",
            "",
        ]
    )


def escaped(text: str) -> str:
    """Return text with mathtext as LaTeX: mathematics as it is, if it is any; what else means something to TeX is not.

    Text of strangers' results thereby calls no command that mathtext does not know, which reads and writes no file.
    """
    said = " ".join(text.split())
    parts = _DOLLAR.split(said)
    try:
        MathTextParser("path").parse(said)
        mathematics = len(parts) % 2 == 1
    except ValueError:
        mathematics = False
    if not mathematics:
        return _text(said.replace(r"\$", "$"))
    return "".join(
        f"${_signs(part)}$" if place % 2 else _text(part.replace(r"\$", "$")) for place, part in enumerate(parts)
    )


def _text(text: str) -> str:
    return "".join(_SPECIAL.get(each) or (f"${sign}$" if (sign := _sign(each)) else each) for each in text)


def _signs(mathematics: str) -> str:
    """Return mathematics with letters beyond ASCII as commands."""
    return "".join(f"{sign} " if (sign := _sign(each)) else each for each in mathematics)


def _sign(letter: str) -> str:
    """Return the command for a sign, or a Greek letter; nothing for other letters."""
    name = unicodedata.name(letter, "")
    found = re.fullmatch(r"GREEK (CAPITAL|SMALL) LETTER ([A-Z]+)", name)
    if letter in _SIGNS or not found:
        return _SIGNS.get(letter, "")
    word = found[2].lower().replace("lamda", "lambda")
    if found[1] == "CAPITAL":
        return rf"\{word.capitalize()}" if word in UPRIGHT else rf"\mathrm{{{ALIKE_LATIN.get(word, word[0].upper())}}}"
    return "o" if word == "omicron" else rf"\{word}"


UPRIGHT = {"gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega"}
ALIKE_LATIN = {"eta": "H", "rho": "P", "chi": "X"}
"""Capitals that LaTeX has no command for look like Latin ones, these not like the first of their name."""


def _body(grid: Grid) -> list[str]:
    lines = [
        _line([_name(head), *("--" if each is None else _cell(each) for each in entries)])
        for head, entries in zip(grid.down, grid.entries, strict=True)
    ]
    if grid.transposed and grid.ranks:
        lines.insert(len(lines) - grid.ranks, r"\midrule")
    return [r"\toprule", *_heads(grid), r"\midrule", *lines, r"\bottomrule"]


def _heads(grid: Grid) -> list[str]:
    lowest = [_centred(head.below or head.title, 1) for head in grid.across]
    if all(not head.below for head in grid.across):
        return [_line([escaped(grid.corner.title), *lowest])]
    groups = [(title, len([*heads])) for title, heads in groupby(grid.across, key=lambda head: head.title)]
    rules, column = [], 2
    for _, width in groups:
        rules.append(rf"\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    above = _line(["", *(_centred(title, width) for title, width in groups)])
    return [above, " ".join(rules), _line([escaped(grid.corner.title), *lowest])]


def _centred(title: str, width: int) -> str:
    """Return a heading over so many columns, in several lines where it is long."""
    lines = [escaped(line) for line in _wrapped(title, width * NARROW)]
    said = r" \\ ".join(lines)
    if len(lines) > 1:
        said = rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{said}\end{{tabular}}"
    return rf"\multicolumn{{{width}}}{{c}}{{{said}}}"


def _wrapped(title: str, characters: int) -> list[str]:
    """Break a title between words, its mathematics and equations whole."""
    lines = [""]
    for word in _UNBROKEN.findall(title):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(plain(longer)) > characters:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _name(head: Head) -> str:
    return escaped(", ".join(part for part in head if part))


def _cell(entry: Entry) -> str:
    said = grouped(entry.value, "{,}")
    if entry.error:
        said += rf" \pm {grouped(entry.error, '{,}')}"
    said = f"${said}$"
    if entry.interval is not None:
        said += rf" (${entry.interval[0]}$--${entry.interval[1]}$)"
    if entry.best:
        said = rf"{{\boldmath\bfseries {said}}}"
    marks = [rf"\{name}" for name, there in (("dagger", entry.alike), ("ddagger", entry.heavy)) if there]
    return said + (rf"\rlap{{$^{{{' '.join(marks)}}}$}}" if marks else "")


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _characters(grid: Grid) -> int:
    """Return about how many characters wide the table is printed."""
    names = [grid.corner.title, *(", ".join(filter(None, head)) for head in grid.down)]
    columns = [
        max(
            *(len(plain(line)) for line in _wrapped(head.below or head.title, NARROW)),
            *(0 if each is None else len(f"{each.value} + {each.error}{each.interval or ''}") for each in entries),
        )
        for head, entries in zip(grid.across, zip(*grid.entries, strict=True), strict=True)
    ]
    return max(len(plain(name)) for name in names) + sum(2 + column for column in columns)
