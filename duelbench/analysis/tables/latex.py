r"""A table in LaTeX, for ``\input`` in a paper. It needs the package booktabs and works with any engine."""

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
"""Characters of a line that fit into one of two columns; wider tables take the width of the page."""

NARROW = 14
"""Characters of the heading of one column; longer headings are broken into several lines."""

_WORD = r"(?:(?<!\\)\$(?:\\.|[^$\\])*\$|\\.|[^\s])+"
_UNBROKEN = re.compile(rf"{_WORD}(?: = {_WORD})?", re.DOTALL)
"""A word with any mathematics in it, or an equation between two such words."""
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
    """Return a ``table`` environment with caption, or ``table*`` if it is too wide for a column of a paper."""
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
    """Return text with mathtext as LaTeX: valid mathematics is kept, all other special characters are escaped.

    So text in results from others can call only commands that mathtext knows, none of which reads or writes a file.
    """
    line = " ".join(text.split())
    parts = _DOLLAR.split(line)
    try:
        MathTextParser("path").parse(line)
        mathematics = len(parts) % 2 == 1
    except ValueError:
        mathematics = False
    if not mathematics:
        return _text(line.replace(r"\$", "$"))
    return "".join(
        f"${_signs(part)}$" if place % 2 else _text(part.replace(r"\$", "$")) for place, part in enumerate(parts)
    )


def _text(text: str) -> str:
    return "".join(_SPECIAL.get(each) or (f"${sign}$" if (sign := _sign(each)) else each) for each in text)


def _signs(mathematics: str) -> str:
    """Return mathematics with letters beyond ASCII as commands."""
    return "".join(f"{sign} " if (sign := _sign(each)) else each for each in mathematics)


def _sign(letter: str) -> str:
    """Return the command for a sign or a Greek letter, and the empty string for other characters."""
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
"""Greek capitals without a LaTeX command look like Latin letters; for these it is not the first letter of the name."""


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
    """Return a heading over ``width`` columns, broken into several lines if it is long."""
    lines = [escaped(line) for line in _wrapped(title, width * NARROW)]
    heading = r" \\ ".join(lines)
    if len(lines) > 1:
        heading = rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{heading}\end{{tabular}}"
    return rf"\multicolumn{{{width}}}{{c}}{{{heading}}}"


def _wrapped(title: str, characters: int) -> list[str]:
    """Return the lines of a title, broken between words but not within mathematics and equations."""
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
    text = grouped(entry.value, "{,}")
    if entry.error:
        text += rf" \pm {grouped(entry.error, '{,}')}"
    text = f"${text}$"
    if entry.interval is not None:
        text += rf" (${entry.interval[0]}$--${entry.interval[1]}$)"
    if entry.best:
        text = rf"{{\boldmath\bfseries {text}}}"
    marks = [rf"\{name}" for name, there in (("dagger", entry.alike), ("ddagger", entry.heavy)) if there]
    return text + (rf"\rlap{{$^{{{' '.join(marks)}}}$}}" if marks else "")


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _characters(grid: Grid) -> int:
    """Return the approximate width of the printed table in characters."""
    names = [grid.corner.title, *(", ".join(filter(None, head)) for head in grid.down)]
    columns = [
        max(
            *(len(plain(line)) for line in _wrapped(head.below or head.title, NARROW)),
            *(0 if each is None else len(f"{each.value} + {each.error}{each.interval or ''}") for each in entries),
        )
        for head, entries in zip(grid.across, zip(*grid.entries, strict=True), strict=True)
    ]
    return max(len(plain(name)) for name in names) + sum(2 + column for column in columns)
