"""The digest of code without comments, docstrings and blank lines, and the packages whose code counts."""

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
COMPILED = ("arrays", "compiling", "kernels", "algorithms", "engine")
"""Packages and modules with code that is compiled or controls compilation; any change starts a new kernel cache."""
NUMBERS = ("arrays", "kernels", "algorithms", "engine", "preferences", "sources", "votes")
"""Packages and modules that compute numbers; a versioned module's imports from them belong to its source.

The code that compiles kernels does not count, since it never changes a bit."""


@cache
def code_digest(text: str) -> str:
    """Return a digest, 16 hexadecimal digits, of the syntax tree of the Python source ``text``.

    Comments, docstrings (of modules, classes, functions and attributes) and layout do not count. The digest is the same
    under every version of Python, so that results of one version stay valid under another. Text that is not Python is
    hashed unchanged.
    """
    try:
        what = _written(ast.parse(text))
    except (SyntaxError, ValueError):
        what = text
    return hashlib.sha256(what.encode()).hexdigest()[:16]


def _written(node: Any) -> str:
    """Return a syntax tree as text. (``ast.dump`` and ``ast.unparse`` depend on the version of Python.)"""
    if isinstance(node, list):
        return "[" + ",".join([_written(each) for each in node if not _is_docstring(each)]) + "]"
    if isinstance(node, ast.JoinedStr):  # Python 3.12.1 adds empty strings to some
        return f"JoinedStr({','.join([_written(each) for each in node.values if not _is_empty(each)])})"
    if isinstance(node, ast.AST):
        known = node.__dict__
        fields = [f"{name}={_written(known[name])}" for name in node._fields if known.get(name) not in (None, [])]
        return f"{type(node).__name__}({','.join(fields)})"
    return repr(node)


def _is_docstring(node: Any) -> bool:
    """Return whether a statement is a string literal whose value is not used."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_empty(node: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value == ""
