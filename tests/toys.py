"""Texts of algorithms that a user may have written: the smallest that the engine plays."""

HEAD = """
from typing import NamedTuple
import numpy as np
from duelbench import Algorithm, kernel

class State(NamedTuple):
    wins: np.ndarray

@kernel
def update(state, first, second, wins, count):
    state.wins[first] += wins
"""


def select(name, answer, before=""):
    """A kernel with this name. It runs ``before`` and then always answers the expression ``answer``."""
    return f"""
@kernel
def {name}(state, t, last, rng):
    {before or "pass"}
    return {answer}
"""


def kind(name, select, declared="None"):
    """A class with this name and the kernel ``select``; it declares ``declared``. All have the same algorithm name."""
    return f"""
class {name}(Algorithm):
    name = "mine"
    State = State
    select = {select}
    update = update
    def start(self, arms, horizon):
        return State(np.zeros(arms, np.int64))
    def declaration(self, state):
        return {declared}
"""


def mine(answer, before="", declared="None"):
    """Return the text of a file with the class ``Mine``."""
    return HEAD + select("select", answer, before) + kind("Mine", "select", declared)


def plain(text):
    """Return the text in plain Python, without kernels to compile."""
    return text.replace("@kernel\n", "")
