"""Names in CSV files, which a spreadsheet must not take for formulas."""

import re

_FORMULA = re.compile(r"'*[=+\-@\t]")
"""How a formula begins, or a name that ``escaped`` has marked."""


def escaped(name: str) -> str:
    """Return a name, with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{name}" if _FORMULA.match(name) else name


def unescaped(cell: str) -> str:
    """Return the name that ``escaped`` has written."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell
