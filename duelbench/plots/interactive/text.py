"""Text for the page: titles without mathtext, escaped so that browsers and Plotly find no markup in them."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

from duelbench.spec.titles import plain

_MATHEMATICS = re.compile(r"(?<!\\)\$(?:\\.|[^$\\])*\$")
_GROUP = r"\{([^{}]*)\}"
_ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0304", "tilde": "\u0303"}
_RAISED = str.maketrans("0123456789+-*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻*")
_LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")


def readable(title: str) -> str:
    """Return a title without mathtext, in plain Unicode: ``$\\hat{\\alpha} = 10^{-3}$`` as ``α̂ = 10⁻³``."""
    return plain(_MATHEMATICS.sub(lambda found: _unicode(found[0]), title))


def _unicode(mathematics: str) -> str:
    """Return mathtext with fractions, roots, accents and exponents, which ``plain`` does not convert, in Unicode."""
    text = re.sub(rf"\\d?frac{_GROUP}{_GROUP}", r"\1/\2", mathematics)
    text = re.sub(rf"\\sqrt{_GROUP}", r"√(\1)", text)
    text = re.sub(
        r"\\(hat|widehat|bar|overline|tilde)\{(\w|\\[a-zA-Z]+)\}", lambda found: found[2] + _ACCENTS[found[1]], text
    )
    text = re.sub(r"\^(?:\{([-+*\d]+)\}|([-+*\d]))", lambda found: (found[1] or found[2]).translate(_RAISED), text)
    return re.sub(r"_(?:\{([-+\d]+)\}|(\d))", lambda found: (found[1] or found[2]).translate(_LOWERED), text)


def words(text: object) -> str:
    """Return text escaped for HTML, for elements and attributes."""
    return escape(str(text))


def heading(title: str) -> str:
    """Return a title for HTML: ``$\\alpha$-RUCB`` as ``α-RUCB``."""
    return words(readable(title))


def label(title: str) -> str:
    """Return a title escaped for Plotly, which reads ``<b>``, ``&lt;`` and ``%{x}`` as markup, but not quotes."""
    return escape(readable(title), quote=False).replace("%{", "&#37;{")


def embedded(payload: Any) -> str:
    """Return JSON that is safe in a ``<script>``: no text in it ends the element. Raises ValueError for NaN."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")
