"""Covering programs against HiGHS: random ones, many of them degenerate or with several optima."""

import numpy as np
import pytest
from scipy.optimize import linprog

from duelbench.algorithms.divergence.covering import add_constraint, clear, no_covering, price, repair

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def least_cost(A, c):
    result = linprog(c, -A, -np.ones(len(A)), options=EXACT)
    assert result.success
    return result.fun


def random_program(rng):
    """Few different coefficients and costs, so that ties abound; every constraint can be met."""
    rows, columns = rng.integers(1, 15), rng.integers(1, 10)
    A = rng.integers(0, 4, (rows, columns)) * (rng.random((rows, columns)) < 0.6)
    A[np.arange(rows), rng.integers(0, columns, rows)] += 1
    return A.astype(float), random_costs(rng, columns)


def random_costs(rng, columns):
    return [rng.integers(0, 4, columns).astype(float), rng.random(columns), 10.0 ** rng.integers(0, 6, columns)][
        rng.integers(3)
    ]


def add(program, row):
    program.coefficients[: len(row)] = row
    add_constraint(program)


def point(program):
    rows, columns = program.size[0].rows, program.size[0].columns
    x = np.zeros(columns)
    for variable, level in zip(program.basic[:rows], program.level[:rows], strict=True):
        if variable < columns:
            x[variable] = level
    return x


@pytest.mark.parametrize("at_once", [True, False])
def test_the_solution_is_optimal(at_once):
    rng = np.random.default_rng(1)
    program = no_covering(15, 10)
    for _ in range(1000):
        A, c = random_program(rng)
        clear(program, len(c))
        assert price(program, c)
        for row in A:
            add(program, row)
            if not at_once:
                repair(program)
        repair(program)
        x = point(program)
        assert (program.size[0].rows, program.size[0].columns) == A.shape
        assert x.min() >= -1e-9
        assert (A @ x).min() >= 1 - 1e-9
        assert c @ x == pytest.approx(least_cost(A, c), rel=1e-9, abs=1e-9)


def test_a_table_tells_whether_it_stays_optimal():
    rng = np.random.default_rng(2)
    program = no_covering(15, 10)
    verdicts = {True: 0, False: 0}
    for _ in range(500):
        A, c = random_program(rng)
        clear(program, len(c))
        price(program, c)
        for row in A:
            add(program, row)
        repair(program)
        x = point(program)
        other = c * rng.uniform(0.5, 2.0, len(c))
        verdict = price(program, other)
        verdicts[verdict] += 1
        stays = other @ x <= least_cost(A, other) * (1 + 1e-9) + 1e-9
        assert stays or not verdict
        assert price(program, c)
    assert min(verdicts.values()) > 50


def test_what_cannot_hold_is_an_error():
    program = no_covering(2, 2)
    clear(program, 2)
    price(program, np.ones(2))
    add(program, np.array([1.0, 0.0]))
    add(program, np.array([0.0, 0.0]))
    with pytest.raises(ArithmeticError, match="no solution"):
        repair(program)
