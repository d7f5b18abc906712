"""duelbench: a laboratory for dueling bandits.

``simulate``
    plays an algorithm on a preference matrix, both by name or as objects.
``algorithm``, ``list_algorithms``
    return an algorithm with its parameters, and a table of all algorithms.
``matrix``
    returns a ``PreferenceMatrix``: shipped, from a file or random. ``Changing`` is a sequence of them.
``run``, ``plot``, ``load_results``
    run the experiment of a spec, draw its figures, and read its results.
``Session``
    runs an algorithm on real comparisons.
``read_votes``, ``rank``
    read files of votes, and rank arms by them.
``advise``
    estimates which algorithm finds the best arm with the fewest further votes.
``Program``
    is the base class of algorithms that explore by a plan, written as one function that calls ``duel``.
``Algorithm``
    is the base class of other algorithms, which have a state and two functions; ``kernel`` compiles these.
``explore``
    samples N means until a decision about them is statistically certain.

Each name is imported on first use, so that ``import duelbench`` is cheap.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duelbench.algorithms.algorithm import Algorithm, Program
    from duelbench.cli.notebook import plot, run
    from duelbench.compiling.jit import kernel
    from duelbench.engine.explore import explore
    from duelbench.experiment.named import algorithm, list_algorithms, matrix
    from duelbench.experiment.simulate import simulate
    from duelbench.kernels.duels import duel, no_winner
    from duelbench.preferences.changing import Changing
    from duelbench.preferences.matrix import PreferenceMatrix
    from duelbench.votes.advice import advise
    from duelbench.votes.ranking import rank
    from duelbench.votes.reading.read import read_votes
    from duelbench.votes.sessions.session import Session

__version__ = "0.2.0"
__all__ = [
    "Algorithm",
    "Changing",
    "PreferenceMatrix",
    "Program",
    "Session",
    "advise",
    "algorithm",
    "duel",
    "explore",
    "kernel",
    "list_algorithms",
    "load_results",
    "matrix",
    "no_winner",
    "plot",
    "rank",
    "read_votes",
    "run",
    "simulate",
]

_HOMES = {
    "Algorithm": "duelbench.algorithms.algorithm",
    "Changing": "duelbench.preferences.changing",
    "PreferenceMatrix": "duelbench.preferences.matrix",
    "Program": "duelbench.algorithms.algorithm",
    "Session": "duelbench.votes.sessions.session",
    "advise": "duelbench.votes.advice",
    "algorithm": "duelbench.experiment.named",
    "duel": "duelbench.kernels.duels",
    "explore": "duelbench.engine.explore",
    "kernel": "duelbench.compiling.jit",
    "list_algorithms": "duelbench.experiment.named",
    "load_results": "duelbench.cli.notebook",
    "matrix": "duelbench.experiment.named",
    "no_winner": "duelbench.kernels.duels",
    "plot": "duelbench.cli.notebook",
    "rank": "duelbench.votes.ranking",
    "read_votes": "duelbench.votes.reading.read",
    "run": "duelbench.cli.notebook",
    "simulate": "duelbench.experiment.simulate",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'duelbench' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
