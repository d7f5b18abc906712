"""Text for a page: titles without mathtext, and nothing in them that a browser or Plotly would take for markup."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from duelbench.spec.titles import plain


def words(text: object) -> str:
    """Return text for HTML, in an element or an attribute."""
    return escape(str(text))


def heading(title: str) -> str:
    """Return a title for HTML: ``$\\alpha$-RUCB`` as ``α-RUCB``."""
    return words(plain(title))


def label(title: str) -> str:
    """Return a title for Plotly, which takes ``<b>`` and ``&lt;`` for markup in its texts, and quotes as they are."""
    return escape(plain(title), quote=False)


def embedded(payload: Any) -> str:
    """Return JSON that may stand in a ``<script>``: no text in it ends the element. Raises ValueError for NaN."""
    said = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return said.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")
