r"""Titles of entries in figures and summaries, with mathtext and the values of a grid.

A title is plain text in which ``$…$`` encloses mathtext, as matplotlib draws it. In the title of a grid, a placeholder
such as ``{alpha}`` becomes the value of the point; values without a placeholder follow the title: ``RUCB, α = 0.5``.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from duelbench.errors import did_you_mean
from duelbench.spec.validation import mistake, show

MOST_CHARACTERS = 500
_VARYING = "…"
"""Stands for a varying value in the common title of several points."""

_DOLLAR = re.compile(r"(?<!\\)\$")
_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_FONT = re.compile(r"\\(?:math[a-z]+|text|operatorname|rm|it|bf|cal)(?![A-Za-z])")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SIGNS = {
    "times": "×", "cdot": "·", "pm": "±", "infty": "∞", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "approx": "≈", "ell": "ℓ", "star": "⋆", "dagger": "†", "to": "→", "rightarrow": "→", "succ": "≻", "prec": "≺",
}  # fmt: skip
_ACCENT = r"{(\w|\\[A-Za-z]+)}"
_REWRITTEN = {
    r"\\d?frac{([^{}]*)}{([^{}]*)}": r"\1/\2",
    r"\\sqrt{([^{}]*)}": r"√(\1)",
    rf"\\(?:wide)?hat{_ACCENT}": "\\1\u0302",
    rf"\\(?:bar|overline){_ACCENT}": "\\1\u0304",
    rf"\\tilde{_ACCENT}": "\\1\u0303",
}
_RAISED = str.maketrans("0123456789+-*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻*")
_LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")


def written_title(text: str) -> str:
    """Raise an error if dollar signs in the text are not paired, or do not enclose valid mathtext."""
    dollars = len(_DOLLAR.findall(text))
    if dollars % 2:
        raise mistake(r"a '$' in {it} is not closed: mathematics is $…$, and \$ is a dollar sign")
    if dollars:
        from matplotlib.mathtext import MathTextParser

        try:
            MathTextParser("path").parse(text)
        except ValueError as error:
            reason = re.split(r", found|\s+\(at char", str(error).strip().splitlines()[-1].partition(": ")[2])[0]
            raise mistake(rf"{{it}} is not mathtext ({reason}): correct it, or write \$ for a dollar sign") from None
    return text


EntryTitle = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS), AfterValidator(written_title)]


def symbol(parameter: str) -> str:
    """Return the symbol of a parameter in titles and on axes: Greek letters for their names, K for the arms."""
    return "K" if parameter == "arms" else _greek(parameter) or parameter.replace("_", " ")


def check_places(title: str, known: Iterable[str]) -> None:
    """Raise an error for a ``{word}`` outside mathematics that is not a parameter given beside the title."""
    known = list(known)
    for text in _DOLLAR.split(title)[::2]:
        for word in _PLACE.findall(text):
            if word not in known:
                near = did_you_mean(word, known) or (f": choose among {', '.join(known)}" if known else ": remove it")
                raise mistake(f"the title has {{{word}}}, but no parameter {word!r} is given here{near}", "title")


def filled(title: str, values: Mapping[str, Any]) -> str:
    """Replace the placeholders of a title that have a value; the others stay."""
    parts = _DOLLAR.split(title)
    return "$".join(_filled(part, values, mathematics=index % 2 == 1) for index, part in enumerate(parts))


def _filled(text: str, values: Mapping[str, Any], mathematics: bool) -> str:
    def value(place: re.Match[str]) -> str:
        if place[1] not in values:
            return place[0]
        text = _shown(values[place[1]])
        return f"{{{text.replace(',', '{,}')}}}" if mathematics else text  # a placeholder remains a TeX group

    return _PLACE.sub(value, text)


def point_title(title: str, point: Mapping[str, Any], without: str | None = None) -> str:
    """Return the title of a point of a grid; it covers all values of the parameter ``without``, if given."""
    mentioned = set(_PLACE.findall(title))
    main = filled(title, {**point, **({without: _VARYING} if without else {})})
    rest = [_assignment(name, value) for name, value in point.items() if name not in mentioned and name != without]
    return ", ".join([main, *rest])


def distinct_titles(entries: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return titles by label, from (label, title); equal titles get their labels in brackets."""
    titles = [title for _, title in entries]
    marked: set[int] = set()
    while True:
        candidates = [f"{titles[i]} ({label})" if i in marked else titles[i] for i, (label, _) in enumerate(entries)]
        read = list(map(plain, candidates))
        counts = Counter(read)
        equal = {i for i in range(len(entries)) if counts[read[i]] > 1} - marked
        if not equal:
            return {label: title for (label, _), title in zip(entries, candidates, strict=True)}
        marked |= equal


def plain(title: str) -> str:
    """Return a title without mathtext, for terminals and browsers: ``$\\hat{\\alpha} = 10^{-3}$`` as ``α̂ = 10⁻³``."""
    parts = _DOLLAR.split(title)
    if len(parts) % 2:
        parts[1::2] = map(_plain_mathematics, parts[1::2])
        title = "".join(parts)
    return title.replace(r"\$", "$")


def _plain_mathematics(text: str) -> str:
    for pattern, replacement in _REWRITTEN.items():
        text = re.sub(pattern, replacement, text)
    text = re.sub(r"\^(?:{([-+*\d]+)}|([-+*\d]))", lambda found: (found[1] or found[2]).translate(_RAISED), text)
    text = re.sub(r"_(?:{([-+\d]+)}|(\d))", lambda found: (found[1] or found[2]).translate(_LOWERED), text)
    text = _COMMAND.sub(lambda found: _SIGNS.get(found[1]) or _greek(found[1]) or found[1], _FONT.sub("", text))
    return re.sub(r"\\[,;:! ]", " ", text).replace("{", "").replace("}", "").replace("\\", "")


def _greek(name: str) -> str | None:
    word = name.removeprefix("var").replace("lambda", "lamda").replace("Lambda", "Lamda")
    size = "CAPITAL" if word[:1].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {word.upper()}")
    except KeyError:
        return None


def _assignment(name: str, value: Any) -> str:
    return f"delay {_shown(value)}" if name == "delay" else f"{symbol(name)} = {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return value.replace("$", r"\$") if isinstance(value, str) else show(value)


def round_number(t: int) -> str:
    """Format a number of rounds: powers of ten from 1,000 on as powers, other numbers with thousands separators."""
    exponent = round(math.log10(t))
    return f"$10^{{{exponent}}}$" if t == 10**exponent >= 1000 else f"{t:,}"
