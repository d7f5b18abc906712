"""The tests of every algorithm, driven by the table in catalogue.py."""

from itertools import product

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.compiled import Source, all_bits, demand_the_same, interpreted_bits
from duelbench.conformance.contract import observed
from duelbench.conformance.contract import same as same_runs
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course, reference_course
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.engine.checkpoints import checkpoints
from duelbench.preferences.regret import KINDS, regret_table
from duelbench.testing import checks
from tests.catalogue import ROWS
from tests.duel_rows import DUELS
from tests.instances import INSTANCES
from tests.playing import counts_of_answers, same
from tests.reference import mistaken, path_of
from tests.rows import Line

NAMES = list(catalogue())
PATHS = [label for label, row in ROWS.items() if row.runs]
MISTAKES = [(label, k) for label, row in ROWS.items() for k in range(len(row.mistakes))]
STATED = [
    pytest.param(label, k, marks=pytest.mark.slow if stated.slow else ())
    for label, row in ROWS.items()
    for k, stated in enumerate(row.stated)
]
LATE = [(label, *late) for label, row in ROWS.items() for late in row.late]


@pytest.mark.parametrize("label", PATHS)
def test_path(label):
    row = ROWS[label]
    declared = []
    for instance, rounds, seed in row.each():
        ours = engine_course(row.algorithm(), INSTANCES[instance], rounds, seed)
        assert same(ours, path_of(row, instance, rounds, seed)), (instance, rounds, seed)
        declared.append(ours[1] is not None)
    assert any(declared) == row.algorithm().declares()


@pytest.mark.parametrize(("label", "number"), MISTAKES)
def test_mistake(label, number, tmp_path):
    row, mistake = ROWS[label], ROWS[label].mistakes[number]
    wrong = mistaken(row.algorithm(), mistake, tmp_path) if isinstance(mistake, Line) else None

    def seen(instance, rounds, seed):
        matrix = INSTANCES[instance]
        if wrong is not None:
            theirs = reference_course(row.algorithm(), matrix, rounds, seed, wrong)
            return not same(engine_course(row.algorithm(), matrix, rounds, seed), theirs)
        return not same(
            engine_course(row.algorithm(**mistake), matrix, rounds, seed), path_of(row, instance, rounds, seed)
        )

    assert any(seen(*run) for run in row.each())


@pytest.mark.parametrize(("label", "number"), STATED)
def test_stated_regret(label, number, request):
    stated = ROWS[label].stated[number]
    instance, numbers, runs, kind, unlike, _ = stated
    matrix = INSTANCES[instance] if instance in INSTANCES else request.getfixturevalue("mslr")[instance]
    marks, means, errors = np.array(numbers).T
    table = regret_table(matrix, kind)[None]

    def deviation(algorithm, runs):
        """By how many standard errors the mean regret differs, at most."""
        rounds = marks.astype(np.int64)
        regret = np.array(
            [simulate(algorithm, matrix.P, table, rounds, *streams(1, run)).regret[0] for run in range(runs)]
        )
        own = regret.std(axis=0, ddof=1) / np.sqrt(runs)
        return np.max(np.abs(regret.mean(axis=0) - means) / np.hypot(own, errors))

    assert deviation(ROWS[label].algorithm(), runs) < 3.5
    for name, parameters in unlike:
        assert deviation(catalogue()[name](**parameters), runs) > 4.5, (name, parameters)


@pytest.mark.parametrize(("label", "delay", "share"), LATE)
def test_late(label, delay, share):
    """Arm 0 beats three others nine times in ten, and each outcome is heard of so many rounds later."""
    marks = np.array([10_000, 20_000])
    played = simulate(
        ROWS[label].algorithm(), order(4, 0.9).P, pair_tables(4), marks, *streams(1, 0), delay=delay
    ).regret
    duels = (played[:, 1] - played[:, 0]).reshape(4, 4)
    assert (duels[0].sum() + duels[:, 0].sum()) / (2 * duels.sum()) > share


def duel_rows():
    for row in DUELS:
        parameters = ", ".join(f"{name} {value}" for name, value in row.parameters.items())
        about = f"{row.name}, {parameters or 'usual'}: {row.instance}"
        yield pytest.param(row, id=about, marks=pytest.mark.slow if row.slow else ())


@pytest.mark.parametrize("row", list(duel_rows()))
def test_duels(row):
    measured = row.measured()
    assert measured.deviation(row.mean, row.error) < 3
    assert measured.right >= row.right
    for mistake in row.mistakes:
        assert row.measured(**mistake).deviation(row.mean, row.error) > 4, mistake


@pytest.mark.parametrize("name", ["ccb", "scb", "rcs"])
def test_answers_of_a_hundred_million_rounds(name):
    """A converged run has far fewer answers than rounds."""
    assert len(counts_of_answers(catalogue()[name](), order(4, 0.7), 10**8, 1)) < 20_000


@checks(*catalogue().values())
def test_conformance(check):
    check()


@pytest.mark.parametrize("name", NAMES)
def test_interpreted(name, request):
    """Kernels do the same to the last bit as plain Python."""
    algorithm = catalogue()[name]()
    assert algorithm.compiled()
    compiled = all_bits(algorithm, 300, [4])
    request.getfixturevalue("interpreted")
    assert not algorithm.compiled()
    assert all_bits(algorithm, 300, [4]) == compiled


@pytest.mark.slow
def test_interpreted_for_longer():
    """The same in a process of their own, for more rounds."""
    interpreted = interpreted_bits([Source(name) for name in NAMES], 3600.0)
    for name, bits in zip(NAMES, interpreted, strict=True):
        assert demand_the_same(all_bits(catalogue()[name]()), bits)


CHANGES = ("sparring-exp3s", "anaconda", "mdb", "detect")
NO_LEARNERS = ("uniform", "naive", "parwis", *CHANGES, "ws-w", "btw", "btwr", "mbtw")
"""They do not learn, cannot find arm 2, explore for ever as the winner may change, or never duel an arm with itself."""
ROOTS = ("rex3", "sparring-exp3")
"""Their regret grows as the root of T: by 0.41 of it in twice the time."""
LONG = {"divide-and-battle": 1_000_000}
"""Its matches are that long."""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NO_LEARNERS])
def test_learning(name):
    """Regret grows more slowly in the second half of a run, and the best arm is played most."""
    matrix, middle = order(5, 0.85).relabelled([3, 1, 0, 4, 2]), LONG.get(name, 500_000)
    tables = np.stack([regret_table(matrix, kind) for kind in KINDS])
    played = simulate(catalogue()[name](), matrix.P, tables, np.array([middle, 2 * middle]), *streams(0, 0))
    early, late = played.regret[:, 0], played.regret[:, 1] - played.regret[:, 0]
    assert np.all(late <= (0.5 if name in ROOTS else 0.25) * early)  # 1: linear
    assert played.duels[2, 2] > middle


@pytest.mark.parametrize("name", ["rucb", "cw-rmed", "d-ts", "btm", "pcomp", "knockout", "ws-s", "mdb"])
@pytest.mark.parametrize(("horizon", "part"), [(3_000, 1), (30_000, 5)])
def test_parts_of_a_run(name, horizon, part, monkeypatch):
    """Parts of one answer stay so; those of five grow, by a fifth."""
    marks, matrix, reports = checkpoints([horizon], 20), INSTANCES["six-rankers"], []
    whole = observed(catalogue()[name](), matrix, marks, streams(0, 0))
    monkeypatch.setattr("duelbench.engine.rollout.COMPILED_PART", part)
    monkeypatch.setattr("duelbench.engine.rollout.FASTER", 1.2)
    assert same_runs(whole, observed(catalogue()[name](), matrix, marks, streams(0, 0), progress=reports.append))
    assert sum(reports) == horizon
    assert len(reports) > 5  # tournaments answer for many rounds at once


# CW-RMED's linear program is a table of constraints by pairs; pages that are not written to take no memory. ANACONDA
# keeps up to 64 rounds of each ordered pair, MDB a window of some thousand outcomes of each pair.
LARGE = {"cw-rmed": 2.5 * 50**4, "anaconda": 150 * 50**2 * 8, "mdb": 50**2 / 2 * 3500 + 32 * 50**2 * 8}


def arrays(state):
    return [each for part in state for each in (arrays(part) if isinstance(part, tuple) else [part])]


@pytest.mark.parametrize("name", NAMES)
def test_states(name):
    """They take no more memory than the counts, and share none with each other."""
    algorithm = catalogue()[name]()

    def size(horizon):
        return sum(getattr(each, "nbytes", 8) for each in arrays(algorithm.start(50, horizon)))

    assert size(10**12) <= LARGE.get(name, 16 * 50**2 * 8)
    if name not in ("mdb", "detect"):  # their windows grow with log T, if there are as many outcomes
        assert size(10**12) == size(1)
    for a, b in product(arrays(algorithm.start(4, 100)), arrays(algorithm.start(4, 100))):
        assert not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.shares_memory(a, b))


@pytest.mark.parametrize("name", NAMES)
def test_description(name):
    algorithm = catalogue()[name]
    assert algorithm.name == name == name.lower()
    assert " " not in name
    summary = algorithm.__doc__.splitlines()[0]
    assert summary.endswith(".")
    assert 20 < len(summary) < 100
    assert algorithm.citation
    assert algorithm.assumes
    assert "T" in algorithm.regret_order or "no bound" in algorithm.regret_order
    assert algorithm() == algorithm(**algorithm().model_dump())


@pytest.mark.parametrize("name", NAMES)
def test_parameters(name):
    """They are described and have defaults; numbers out of range are refused."""
    algorithm = catalogue()[name]
    with pytest.raises(ValueError, match="nonsense"):
        algorithm(nonsense=1)
    for parameter, field in algorithm.model_fields.items():
        assert not field.is_required(), parameter
        assert field.description, parameter
        for value in (-1.0, float("nan"), float("inf"), "x") if field.annotation is float else ():
            with pytest.raises(ValueError, match=parameter):
                algorithm(**{parameter: value})


def test_every_algorithm_has_a_row():
    """Those that draw otherwise than their reference implementation are compared with it in distribution elsewhere."""
    assert {row.name for row in ROWS.values()} <= set(NAMES)
    assert all(label.startswith(row.name) for label, row in ROWS.items())
    elsewhere = {"d-ts", "d-ts+", "rcs", "merge-dts"}
    assert set(NAMES) - {ROWS[label].name for label in PATHS} <= elsewhere
