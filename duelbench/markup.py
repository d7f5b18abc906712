"""Text and tables in Markdown and LaTeX, and names that spreadsheets do not take for formulas."""

import math
import re
import unicodedata
from collections.abc import Sequence

_FORMULA = re.compile(r"'*[=+\-@\t]")
"""The beginning of a formula, or of a name that ``escaped`` has marked."""


def escaped(name: str) -> str:
    """Return a name, with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{name}" if _FORMULA.match(name) else name


def unescaped(cell: str) -> str:
    """Return the name that ``escaped`` has written."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell


_DOLLAR = re.compile(r"(?<!\\)\$")
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
    "|": r"$|$", "\"": "''", "–": "--", "—": "---", "…": r"\dots{}", "†": r"$^\dagger$", "‡": r"$^\ddagger$",
    "§": r"\S{}",
    **{each: rf"\{each}" for each in "&%#_{}$"},
}  # fmt: skip
_SIGNS = {
    "±": r"\pm", "×": r"\times", "·": r"\cdot", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx",
    "∞": r"\infty", "→": r"\to", "ζ": r"\zeta", "−": "-", "≻": r"\succ", "≺": r"\prec", "ℓ": r"\ell",
}  # fmt: skip
UNMET = "§"
"""The sign of algorithms whose assumptions a dataset does not meet, in tables and figures."""
_UPRIGHT = {"gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega"}
_ALIKE_LATIN = {"eta": "H", "rho": "P", "chi": "X"}
"""Greek capitals without a LaTeX command are written as Latin letters: these, or the first letter of their name."""


def number(value: float) -> str:
    """Return a number with three significant digits, or with all digits before the point."""
    if abs(value) < 1e-9 or not math.isfinite(value):
        return f"{value:.3g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF") for each in text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Pad a text with blanks to a width; ``right`` aligns it to the right."""
    blanks = " " * (width - columns_of(text))
    return blanks + text if right else text + blanks


def several(items: Sequence[str], most: int = 20) -> str:
    """Return the first items for a sentence, and how many others there are."""
    return ", ".join(items[:most]) + (f" and {len(items) - most:,} others" if len(items) > most else "")


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, aligned: bool = False) -> list[str]:
    """Return the lines of a table of cells in Markdown.

    ``aligned`` pads the columns in the source and aligns all but the first to the right.
    """
    if not aligned:
        return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
    widths = [max(3, *map(columns_of, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]

    def line(first: str, *others: str) -> str:
        right = [padded(cell, width, right=True) for cell, width in zip(others, widths[1:], strict=True)]
        return f"| {' | '.join([padded(first, widths[0]), *right])} |"

    return [line(*head), line(*rule), *(line(*row) for row in rows)]


def latex_table(alignment: str, head: Sequence[str], body: Sequence[str]) -> list[str]:
    """Return the lines of a ``tabular`` with the rules of booktabs; ``head`` and ``body`` are lines, too."""
    rows = [r"\toprule", *head, r"\midrule", *body, r"\bottomrule"]
    return [rf"\begin{{tabular}}{{{alignment}}}", *(f"  {row}" for row in rows), r"\end{tabular}"]


def latex_row(cells: Sequence[str]) -> str:
    """Return a line of a ``tabular``."""
    return rf"{' & '.join(cells)} \\"


def latex_text(text: str) -> str:
    """Return text with mathtext as LaTeX: valid mathematics is kept, all other special characters are escaped.

    So text in results from others can call only commands that mathtext knows, none of which reads or writes a file.
    """
    from matplotlib.mathtext import MathTextParser

    line = " ".join(text.split())
    parts = _DOLLAR.split(line)
    try:
        MathTextParser("path").parse(line)
        mathematics = len(parts) % 2 == 1
    except ValueError:
        mathematics = False
    if not mathematics:
        return _escaped(line.replace(r"\$", "$"))
    return "".join(
        f"${_signs(part)}$" if place % 2 else _escaped(part.replace(r"\$", "$")) for place, part in enumerate(parts)
    )


def _escaped(text: str) -> str:
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
        latin = rf"\mathrm{{{_ALIKE_LATIN.get(word, word[0].upper())}}}"
        return rf"\{word.capitalize()}" if word in _UPRIGHT else latin
    return "o" if word == "omicron" else rf"\{word}"
