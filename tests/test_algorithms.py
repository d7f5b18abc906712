"""Every algorithm of the catalogue: the checks of ``duelbench test``, its regret and its parameters."""

import signal
from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from numba.core import config
from pydantic import ValidationError

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.case import ODD, SMALL, USUAL, Case, Untested, order
from duelbench.conformance.checks import CHECKS, inapplicable, run_check
from duelbench.conformance.contract import observed, same
from duelbench.conformance.rounds import simulate, streams
from duelbench.conformance.verdicts import all_bits
from duelbench.engine.problem import checkpoints
from duelbench.preferences.regret import KINDS, regret_table
from tests.hold_rows import SAMPLED
from tests.instances import INSTANCES

NAMES = list(catalogue())


CHECKED = {name: USUAL[name] for name in ("six-rankers", "cyclic4")}
ALONE = {"cyclic4": USUAL["cyclic4"]}
ON_ONE = ("label invariance", "reproducible")
"""Checks that show as much on one instance."""
ROUNDS = {"label invariance": 0.5, "off-policy": 0.5}
"""Shares of the usual rounds: many algorithms first try all pairs in order, so these checks need longer runs."""
DECIDING = ("declaration", "recommendation", "holds")
DECIDED = {**CHECKED, "two arms, certain": ODD["two arms, certain"]}
"""Instances for the checks in ``DECIDING``, which show nothing before a winner is found."""
LATE = {"halving-battle": 5.0} | dict.fromkeys(("btm", "btm-pac", "divide-and-battle", "scomp2", "trace-the-best"), 1.0)
"""Larger shares of rounds for algorithms that find the winner later."""
PARAMETERS = {("declaration", "parwis"): {"budget": 100}}
SAMPLED_HOLDS = {row.name for row in SAMPLED.values()}
NO_HOLDS = (
    *("arena-pairs", "asap", "crowd-bt", "doubt", "gap-variance", "hybrid-mst", "repeated-sort", "swiss", "parwis"),
    *("pbr-copeland", "pl-pac", "plpac-ampr", "borda-elimination", "secs", "explore-verify", "btm-pac", "if", "naive"),
    *("pbr", "rankel", "savage", "uniform-exploration", "wrapped", "active-ranking"),
    *("dexp3", "dexp3-hp", "doubler", "multisbm", "sparring", "self-sparring", "sparring-exp3", "sparring-exp3s"),
    "versatile-db",
)
ENDLESS_HOLDS = ("merge-dts", "merge-rucb")
"""They hold the winner to the end; test_holds compares longer runs."""
UNTESTED = {
    ("off-policy", "uniform"): "no duel that it has not asked for changes what it plays",
    **{("holds", name): r"no answer in \S+ rounds is a hold" for name in NO_HOLDS},
    **{("holds", name): "no hold ended on its own" for name in ENDLESS_HOLDS},
}
"""Checks that find nothing wrong but nothing to compare either, and the reason that they give."""


def checks():
    """Yield all checks except those that test_catalogue and test_holds make with larger samples."""
    for name, check in product(NAMES, CHECKS):
        sampled = check == "reference" or (check == "holds" and name in SAMPLED_HOLDS)
        if not (sampled or inapplicable(check, catalogue()[name]())):
            yield name, check


@pytest.mark.parametrize(("name", "check"), list(checks()))
def test_conformance(name, check):
    cell = check, name
    instances, rounds = ALONE if check in ON_ONE else CHECKED, ROUNDS.get(check, 0.1)
    if check in DECIDING:
        instances, rounds = DECIDED, LATE.get(name, rounds)
    algorithm = catalogue()[name](**PARAMETERS.get(cell, {}))
    case = Case(algorithm, instances, None, SMALL._replace(rounds=rounds, plain_rounds=rounds))
    if cell in UNTESTED:
        with pytest.raises(Untested, match=UNTESTED[cell]):
            run_check(check, case)
    else:
        assert run_check(check, case)


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("name", NAMES)
def test_interpreted(name, request):
    """Compiled kernels and plain Python agree to the last bit."""
    algorithm = catalogue()[name]()
    assert algorithm.compiled()
    compiled = all_bits(algorithm, 300, [4])
    request.getfixturevalue("interpreted")
    assert not algorithm.compiled()
    assert all_bits(algorithm, 300, [4]) == compiled


CHANGES = ("sparring-exp3s", "anaconda", "mdb", "detect")
SAMPLERS = ("doubt", "gap-variance", "swiss", "repeated-sort", "arena-pairs", "crowd-bt", "hybrid-mst", "asap")
NO_LEARNERS = ("uniform", *SAMPLERS, "naive", "parwis", *CHANGES, "ws-w", "btw", "btwr", "mbtw")
"""They do not learn, cannot find arm 2, explore forever as the winner may change, or have no self-duels."""
ROOTS = ("rex3", "sparring-exp3")
"""Their regret grows as √T: by 41 % when T doubles."""
LONG = {"divide-and-battle": 1_000_000}
"""Their matches are that long."""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NO_LEARNERS])
def test_learning(name):
    """Regret grows more slowly in the second half of a run, and most duels are self-duels of the best arm."""
    matrix, middle = order(5, 0.85).relabelled([3, 1, 0, 4, 2]), LONG.get(name, 500_000)
    tables = np.stack([regret_table(matrix, kind) for kind in KINDS])
    played = simulate(catalogue()[name](), matrix.P, tables, np.array([middle, 2 * middle]), *streams(0, 0))
    early, late = played.regret[:, 0], played.regret[:, 1] - played.regret[:, 0]
    assert np.all(late <= (0.5 if name in ROOTS else 0.25) * early)  # 1 if it is linear
    assert played.duels[2, 2] > middle


@pytest.mark.parametrize(("name", "horizon", "part"), [("rucb", 3_000, 1), ("d-ts", 30_000, 5)])
def test_parts_of_a_run(name, horizon, part, monkeypatch):
    """A run in parts is the same as a whole run: parts of one answer, and parts of five that grow by a fifth."""
    marks, matrix, reports = checkpoints([horizon], 20), INSTANCES["six-rankers"], []
    whole = observed(catalogue()[name](), matrix, marks, streams(0, 0))
    monkeypatch.setattr("duelbench.engine.rollout.COMPILED_PART", part)
    monkeypatch.setattr("duelbench.engine.rollout.FASTER", 1.2)
    assert same(whole, observed(catalogue()[name](), matrix, marks, streams(0, 0), progress=reports.append))
    assert sum(reports) == horizon
    assert len(reports) > 5  # an answer may be about many rounds


# The linear program of CW-RMED is a table of constraints × pairs; its unused pages take no memory. ANACONDA keeps up to
# 64 rounds for each ordered pair, and MDB keeps a window of some thousand outcomes for each pair.
LARGE = {"cw-rmed": 2.5 * 50**4, "anaconda": 150 * 50**2 * 8, "mdb": 50**2 / 2 * 3500 + 32 * 50**2 * 8}


def arrays(state):
    return [each for part in state for each in (arrays(part) if isinstance(part, tuple) else [part])]


@pytest.mark.parametrize("name", NAMES)
def test_states(name):
    """A state takes the memory of at most 16 K × K tables, except those in ``LARGE``; states share no memory."""
    algorithm = catalogue()[name]()

    def size(horizon):
        return sum(getattr(each, "nbytes", 8) for each in arrays(algorithm.start(50, horizon)))

    assert size(10**12) <= LARGE.get(name, 16 * 50**2 * 8)
    if name not in ("mdb", "detect"):  # their windows grow with log T
        assert size(10**12) == size(1)
    for a, b in product(arrays(algorithm.start(4, 100)), arrays(algorithm.start(4, 100))):
        assert not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.shares_memory(a, b))


@pytest.mark.parametrize("name", NAMES)
def test_parameters(name):
    """Parameters have descriptions and defaults; numbers out of range are refused."""
    algorithm = catalogue()[name]
    with pytest.raises(ValueError, match="nonsense"):
        algorithm(nonsense=1)
    for parameter, field in algorithm.model_fields.items():
        assert not field.is_required(), parameter
        assert field.description, parameter
        for value in (-1.0, float("nan"), float("inf"), "x") if field.annotation is float else ():
            with pytest.raises(ValueError, match=parameter):
                algorithm(**{parameter: value})


# Parameters at the ends of their ranges

LIMITS = ("ge", "gt", "le", "lt")


def ends(kind, parameter):
    """Yield the algorithm with the least and the greatest value that it accepts for a parameter, if it is a number."""
    named = [
        getattr(each, name) for each in kind.model_fields[parameter].metadata for name in LIMITS if hasattr(each, name)
    ]
    accepted = {}
    for value in (0, *(sign * size for sign in (-1, 1) for size in (1e-100, 10**18)), *named):
        for beside in (value, *np.nextafter(float(value), [-np.inf, np.inf]).tolist()):
            with suppress(ValidationError):
                algorithm = kind(**{parameter: beside})
                found = getattr(algorithm, parameter)
                if isinstance(found, int | float) and not isinstance(found, bool):
                    accepted[found] = algorithm
    if accepted:
        yield from {accepted[min(accepted)], accepted[max(accepted)]}


def too_long(*_):
    raise TimeoutError


@pytest.mark.usefixtures("interpreted")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # compiled code also goes on with infinity
@pytest.mark.parametrize("name", NAMES)
def test_ends_of_ranges(name):
    """With the least or greatest value of a parameter, a run of 200 rounds ends or the algorithm refuses the value."""
    kind, matrix = catalogue()[name], INSTANCES["cyclic4"]
    before = signal.signal(signal.SIGALRM, too_long)
    try:
        for parameter in kind.model_fields:
            for algorithm in ends(kind, parameter):
                signal.alarm(10)
                try:
                    played = simulate(algorithm, matrix.P, np.ones((1, 4, 4)), np.array([200]), *streams(1, 0))
                    assert played.regret.tolist() == [[200.0]]
                except ValueError as error:
                    assert str(error).startswith(f"{parameter} is "), algorithm
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
