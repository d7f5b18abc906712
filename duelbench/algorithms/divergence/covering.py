"""Covering programs: the least c·x with A x ≥ 1 and x ≥ 0, where c ≥ 0, by the dual simplex method in a small table.

Without constraints x = 0 is optimal. A constraint is added when a point violates it; pivots then repair one violated
constraint after the other and keep the reduced costs from falling below zero, so that a point which violates nothing
is optimal. An optimal table stays optimal for other costs as long as its reduced costs for them are not negative.

Why not a library: CW-RMED solves programs with ten unknowns by the hundred and asks after every duel whether the
solution stands. From the first constraint to the last that takes 4 µs here, to ask 0.1 µs, and a call of HiGHS 1 ms.
"""

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel

_FEASIBLE = 1e-10
"""How far below 0 a variable may fall."""
_PIVOT = 1e-9
"""The least entry to divide by. The true ones are fractions with small denominators."""
_NOISE = 1e-12
"""What rounding may do to a reduced cost, as a share of the terms that it is the sum of."""


class Covering(NamedTuple):
    """A table in which every basic variable is ``level[r] − Σ table[r, j] × (nonbasic variable j)``.

    Variables 0 … n − 1 are x, variable n + k is the surplus of constraint k, ``A[k]·x − 1``. ``basic[r]``,
    ``nonbasic[j]``: which variable a row or a column belongs to. ``reduced``: reduced costs of the columns.
    ``magnitude``: the sum of the sizes of their terms. ``coefficients``: (n,) the constraint to be added next.
    ``size[0]`` has ``rows``, the number of constraints, and ``columns``, n.
    """

    table: Floats
    level: Floats
    basic: Ints
    nonbasic: Ints
    reduced: Floats
    magnitude: Floats
    coefficients: Floats
    size: Record


def new_covering(constraints: int, unknowns: int) -> Covering:
    """Return room for programs with at most so many constraints and unknowns."""
    return Covering(
        table=np.zeros((constraints, unknowns)),
        level=np.zeros(constraints),
        basic=np.zeros(constraints, np.int64),
        nonbasic=np.zeros(unknowns, np.int64),
        reduced=np.zeros(unknowns),
        magnitude=np.zeros(unknowns),
        coefficients=np.zeros(unknowns),
        size=record(rows=0, columns=0),
    )


@kernel(inline=False)
def clear(program: Covering, unknowns: int) -> None:
    """Begin a program without constraints; ``price`` must follow."""
    size = program.size[0]
    size.rows, size.columns = 0, unknowns
    for j in range(unknowns):
        program.nonbasic[j] = j


@kernel(inline=False)
def price(program: Covering, costs: Floats) -> bool:
    """Compute the reduced costs for ``costs``, (n,); return whether they leave the table optimal."""
    rows, columns = program.size[0].rows, program.size[0].columns
    for j in range(columns):
        variable = program.nonbasic[j]
        cost = costs[variable] if variable < columns else 0.0
        program.reduced[j] = cost
        program.magnitude[j] = cost
    for r in range(rows):
        if program.basic[r] < columns:
            cost = costs[program.basic[r]]
            for j in range(columns):
                term = cost * program.table[r, j]
                program.reduced[j] -= term
                program.magnitude[j] += abs(term)
    optimal = True
    for j in range(columns):
        if program.reduced[j] < -_NOISE * program.magnitude[j]:
            optimal = False
    return optimal


@kernel(inline=False)
def add_constraint(program: Covering) -> None:
    """Add the constraint ``coefficients · x ≥ 1``."""
    row, columns = program.size[0].rows, program.size[0].columns
    level = -1.0
    for j in range(columns):
        variable = program.nonbasic[j]
        program.table[row, j] = -program.coefficients[variable] if variable < columns else 0.0
    for r in range(row):
        if program.basic[r] < columns:
            coefficient = program.coefficients[program.basic[r]]
            if coefficient != 0.0:
                level += coefficient * program.level[r]
                for j in range(columns):
                    program.table[row, j] += coefficient * program.table[r, j]
    program.level[row] = level
    program.basic[row] = columns + row
    program.size[0].rows = row + 1


@kernel(inline=False)
def _pivot(program: Covering, row: int, column: int) -> None:
    """Exchange the basic variable of ``row`` for the nonbasic one of ``column``."""
    rows, columns = program.size[0].rows, program.size[0].columns
    table, level, reduced = program.table, program.level, program.reduced
    inverse = 1.0 / table[row, column]
    for j in range(columns):
        table[row, j] *= inverse
    table[row, column] = inverse
    level[row] *= inverse
    for r in range(rows):
        factor = table[r, column]
        if r != row and factor != 0.0:
            table[r, column] = 0.0
            for j in range(columns):
                table[r, j] -= factor * table[row, j]
            level[r] -= factor * level[row]
    factor = reduced[column]
    reduced[column] = 0.0
    for j in range(columns):
        reduced[j] -= factor * table[row, j]
    program.basic[row], program.nonbasic[column] = program.nonbasic[column], program.basic[row]


@kernel(inline=False)
def repair(program: Covering) -> int:
    """Pivot until all known constraints hold, the most violated first; return the number of pivots.

    Raises ArithmeticError if they cannot hold.
    """
    pivots = 0
    while True:
        rows, columns = program.size[0].rows, program.size[0].columns
        row, least = -1, -_FEASIBLE
        for r in range(rows):
            if program.level[r] < least:
                row, least = r, program.level[r]
        if row < 0:
            return pivots
        column, ratio = -1, np.inf
        for j in range(columns):
            entry = -program.table[row, j]
            if entry > _PIVOT and max(0.0, program.reduced[j]) < ratio * entry:
                column, ratio = j, max(0.0, program.reduced[j]) / entry
        if column < 0:
            raise ArithmeticError("a covering program has no solution")
        _pivot(program, row, column)
        pivots += 1
