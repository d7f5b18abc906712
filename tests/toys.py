"""Texts of algorithms that a user may have written: the smallest that the engine plays, kernels and all."""

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
    """A kernel of this name, whose every answer is the expression ``answer``; ``before`` that it may do otherwise."""
    return f"""
@kernel
def {name}(state, t, last, rng):
    {before or "pass"}
    return {answer}
"""


def kind(name, select, declared="None"):
    """A class called so, with the kernel ``select``; it declares the expression ``declared``. All go by one name."""
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
    """A file with the class ``Mine``."""
    return HEAD + select("select", answer, before) + kind("Mine", "select", declared)


def plain(text):
    """The same in plain Python, which compiles nothing."""
    return text.replace("@kernel\n", "")
