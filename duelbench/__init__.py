"""duelbench: a laboratory for dueling bandits.

    from duelbench import Algorithm, Changing, PreferenceMatrix, Session, explore, kernel, load_results, simulate

``simulate`` plays an algorithm on a ``PreferenceMatrix``, or on several that follow each other (``Changing``),
``Session`` puts one to work on real comparisons,
``load_results`` reads what ``duelbench run`` has written. An ``Algorithm`` of your own is a class with two functions;
as ``kernel`` they are compiled. ``explore`` samples means until a decision of yours about them is certain. Each is
imported when it is first asked for, so that importing duelbench costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duelbench.algorithms.algorithm import Algorithm
    from duelbench.compiling.jit import kernel
    from duelbench.engine.explore import explore
    from duelbench.engine.simulate import simulate
    from duelbench.preferences.changing import Changing
    from duelbench.preferences.matrix import PreferenceMatrix
    from duelbench.results.frames import load_results
    from duelbench.sessions.session import Session

__version__ = "0.2.0"
__all__ = ["Algorithm", "Changing", "PreferenceMatrix", "Session", "explore", "kernel", "load_results", "simulate"]

_HOMES = {
    "Algorithm": "duelbench.algorithms.algorithm",
    "Changing": "duelbench.preferences.changing",
    "PreferenceMatrix": "duelbench.preferences.matrix",
    "Session": "duelbench.sessions.session",
    "explore": "duelbench.engine.explore",
    "kernel": "duelbench.compiling.jit",
    "load_results": "duelbench.results.frames",
    "simulate": "duelbench.engine.simulate",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'duelbench' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
