"""Declarations: none, and then a winner with the rounds before."""

from types import SimpleNamespace

from duelbench.algorithms.declaration import declare, nothing_declared
from duelbench.algorithms.elimination.pbr import Pbr


def test_the_rounds_before_the_declaration_are_counted():
    state = SimpleNamespace(declared=nothing_declared())
    assert Pbr().declaration(state) is None
    declare(state.declared, 2, 101)  # at the start of round 101
    assert Pbr().declaration(state) == (2, 100)
