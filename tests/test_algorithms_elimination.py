"""What all that explore, declare a winner and play it to the end have in common, above all their literal paths."""

import hashlib

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal import (
    active_ranking,
    batches,
    best_arm,
    borda_elimination,
    interleaved_filter,
    pbr,
    pl_pac,
    rankel,
    savage,
    secs,
)
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from tests import passages
from tests.comparison import MATRICES, output_of
from tests.exploring import (
    ALL,
    CASES,
    DECISIVE,
    ORDER,
    OTHERS,
    decided_soon,
    good_enough,
    literal_path,
    make,
    same,
    whole,
)

RASH = {"btm, rash", "btm, komiyama, rash"}
"""They drop arms at the first difference, so whom they declare means nothing."""


def test_every_algorithm_that_declares_is_here():
    cases = [*ALL.values(), *passages.CASES.values()]  # the latter: test_algorithms_identification_first_passage
    elsewhere = {"wsw-pe", "bcb"}  # test_algorithms_winner_stays_wsw_pe, test_algorithms_elimination_bcb
    assert {case.name for case in cases} | elsewhere == {name for name, kind in catalogue().items() if kind.declares()}


# Literal paths


@pytest.mark.parametrize("matrix", [*MATRICES, *OTHERS])
@pytest.mark.parametrize("label", CASES)
def test_the_path_is_the_literal_one(label, matrix):
    horizon = CASES[label].rounds
    chosen = (MATRICES | OTHERS)[matrix]
    assert same(engine_course(make(label), chosen, horizon, 0), literal_path(label, chosen, horizon, 0))


UNDECIDED = {  # ties for ever, and what takes longer than this
    "borda": {"certain cycle", "three winners"},
    "borda, sampled": {"certain cycle", "three winners"},
    "wrapped": {"certain cycle", "three winners"},
    "wrapped, ucb": {"certain cycle", "three winners", "order"},
    "naive": {"order"},  # two arms are equally good against arm 0
    "naive, ucb": {"order"},
    "naive, uniform": {"order"},
    "argmax": {"order"},
    "argmax, sampled": {"order"},
    "btm": {"two arms", "certain cycle", "three winners", "order"},
    "btm, scale 1, gamma 1": {"certain cycle", "three winners"},
    "btm, eager, gamma": {"three winners"},
    "borda elimination": {"certain cycle", "three winners"},
    "secs": {"certain cycle", "three winners"},
    "active ranking": {"certain cycle", "three winners", "order"},
    "active ranking, experiments": {"certain cycle", "three winners"},
    "explore-verify": {"certain cycle", "three winners", "order"},
    "btm-pac": {"two arms", "certain cycle", "three winners", "order"},
    "btm-pac, slack": {"certain cycle", "three winners", "order"},
    "btm-pac, heckel": {"certain cycle", "three winners"},
}


@pytest.mark.parametrize("name", DECISIVE)
@pytest.mark.parametrize("label", CASES)
def test_the_path_is_the_literal_one_to_the_winner(label, name):
    matrix, horizon = DECISIVE[name], 3000
    winners = set()
    for seed in range(2 if label.endswith("ucb") else 3):
        ours = engine_course(make(label), matrix, horizon, seed)
        assert same(ours, literal_path(label, matrix, horizon, seed))
        if ours[1] is not None:
            winners.add(ours[1][0])
            assert tuple(ours[0][-1]) == (ours[1][0], ours[1][0])
    assert winners <= good_enough(label, matrix) or label in RASH
    assert bool(winners) != (name in UNDECIDED.get(label, set()))


@pytest.mark.parametrize("label", ALL)
def test_short_horizons_have_the_literal_path(label):
    for matrix in DECISIVE.values():
        for horizon in (1, 2, 3, 7, 50):
            assert same(engine_course(make(label), matrix, horizon, 0), literal_path(label, matrix, horizon, 0))


def scaled(function, factor=1.2):
    return lambda *arguments: factor * function(*arguments)


MISTAKES = {
    "if": (interleaved_filter, "radius"),
    "pbr": (pbr, "confidence_radius"),
    "rankel": (rankel, "confidence_radius"),
    "condorcet": (savage, "radius"),
    "copeland": (savage, "radius"),
    "borda, epsilon": (savage, "radius"),
    "copeland, sampled": (savage, "radius"),
    "pl-pac": (pl_pac, "radius"),
    "borda elimination": (borda_elimination, "radius"),
    "secs": (secs, "radius"),
    "active ranking, experiments": (active_ranking, "threshold"),
}


@pytest.mark.parametrize("label", MISTAKES)
def test_a_radius_a_fifth_too_wide_leaves_the_path(label, monkeypatch):
    module, name = MISTAKES[label]
    ours = [engine_course(make(label), ORDER, 2500, seed) for seed in range(2)]
    assert all(same(each, literal_path(label, ORDER, 2500, seed)) for seed, each in enumerate(ours))
    monkeypatch.setattr(module, name, scaled(getattr(module, name)))
    assert not any(same(each, literal_path(label, ORDER, 2500, seed)) for seed, each in enumerate(ours))


@pytest.mark.parametrize(
    ("label", "mistake"),
    [
        ("wrapped", {"delta": 0.3}),
        ("naive", {"delta": 0.3}),
        ("naive, uniform", {"delta": 0.3}),
        ("argmax", {"delta": 0.4}),
        ("argmax, sampled", {"steps": 21}),
        ("copeland, sampled", {"starts": 4}),
        ("btm, eager", {"confidence_scale": 0.36}),
        ("btm, eager", {"gamma": 1.1}),
        ("btm, eager", {"variant": "komiyama"}),
        ("btm, komiyama", {"variant": "paper"}),
        ("pl-pac", {"variant": "heckel"}),
        ("secs, gate", {"sparsity": 3}),
        ("secs, gate", {"gate": 60}),
        ("active ranking, experiments", {"radius": "paper"}),
        ("btm-pac, slack", {"self_duels": True}),
        ("btm-pac, heckel", {"delta": 0.71}),
        ("btm-pac, heckel", {"variant": "paper"}),
        ("pcomp, delta", {"delta": 0.1}),
        ("scomp, kl, delta", {"delta": 0.1}),
        ("scomp2, kl", {"delta": 0.001}),
        ("pcomp, delta", {"batches": 10}),
    ],
)
def test_a_parameter_a_bit_off_leaves_the_path(label, mistake):
    algorithm = type(make(label))(**ALL[label].parameters | mistake)
    matrix = decided_soon(label) if label in CASES else MATRICES["cyclic4"]
    differs = [
        not same(engine_course(algorithm, matrix, 6000, k), literal_path(label, matrix, 6000, k)) for k in range(3)
    ]
    assert any(differs)


@pytest.mark.parametrize("label", ["wrapped", "pcomp"])
def test_a_transcription_that_rewards_the_loser_has_another_path(label, monkeypatch):
    module = {"wrapped": best_arm, "pcomp": batches}[label]
    right = module.first_wins
    monkeypatch.setattr(module, "first_wins", lambda *arguments: not right(*arguments))
    assert not same(engine_course(make(label), ORDER, 2500, 0), literal_path(label, ORDER, 2500, 0))


# Declarations


@pytest.mark.parametrize("label", sorted(CASES.keys() - RASH))
def test_the_declared_arm_is_played_from_then_on(label):
    matrix = decided_soon(label)
    horizon = 200_000 if label.startswith("btm") else 20_000
    played = whole(make(label), matrix, horizon, seed=3)
    winner, rounds = played.declaration
    assert winner in good_enough(label, matrix)
    if not label.startswith("btm"):  # which duels arms with themselves before
        assert rounds == played.informative
    assert played.duels[winner, winner] >= horizon - rounds > horizon / 2


@pytest.mark.parametrize("label", CASES)
def test_nothing_is_declared_while_pairs_are_open(label):
    algorithm = make(label)
    assert algorithm.declaration(algorithm.start(4, 100)) is None
    hasty = RASH | {"btm, eager", "btm, eager, gamma", "secs, gate"}
    if "epsilon" not in algorithm.model_fields_set and label not in hasty:
        # an ε above every gap would be content with anything, and so is a radius of next to nothing
        played = whole(algorithm, PreferenceMatrix(np.full((4, 4), 0.5)), 3000, seed=1)
        assert played.declaration is None
        assert np.trace(played.duels) == 0 or label.startswith("btm")


LATE = """
from tests.test_algorithms_elimination import SOON, late_winner
for label in SOON:
    print(late_winner(label))
"""
LATER = {"borda, sampled", "btm", "btm, scale 1, gamma 1", "btm-pac", "btm-pac, slack"}
SOON = sorted(label for label in CASES.keys() - RASH - LATER if type(make(label)).sequential)


def late_winner(label):
    """Declare a winner with outcomes that arrive 30 rounds after their duels."""
    algorithm, matrix, horizon = make(label), decided_soon(label), 6000
    environment, policy = streams(5, 0)
    state = algorithm.start(matrix.arms, horizon)
    waiting = []
    for t in range(1, horizon + 1):
        first, second, count = algorithm.select(state, t, t, policy)
        assert count == 1 and 0 <= first < matrix.arms and 0 <= second < matrix.arms
        waiting.append((first, second, int(first != second and environment.random() < matrix.P[first, second])))
        if len(waiting) > 30:
            algorithm.update(state, *waiting.pop(0), 1)
    assert first == second == algorithm.declaration(state)[0]
    return int(first)


def test_outcomes_that_come_late_change_no_rule():
    winners = dict(zip(SOON, map(int, output_of(LATE, interpreted=True).split()), strict=True))
    for label, winner in winners.items():
        assert winner in good_enough(label, decided_soon(label))


@pytest.mark.parametrize("label", ["if", "pbr", "rankel", "condorcet", "copeland", "borda"])
@pytest.mark.parametrize("matrix", ["six-rankers", "mslr5-condorcet", "cyclic4"])
def test_the_best_arm_is_declared(label, matrix):
    """δ = 1/T is strict: no run of a few may miss the Condorcet winner, which has the best Borda score here."""
    name, parameters, _ = CASES[label]
    algorithm = catalogue()[name](**{key: value for key, value in parameters.items() if key != "delta"})
    for seed in range(2):
        winner, rounds = whole(algorithm, MATRICES[matrix], 10**7, seed).declaration
        assert winner == 0
        assert rounds < 2_000_000


# Compiled and interpreted


DIGESTS = """
from tests.exploring import ALL
from tests.test_algorithms_elimination import digest
for label in ALL:
    print(digest(label))
"""


def digest(label):
    text = hashlib.sha256()
    for matrix in (MATRICES["random10"], DECISIVE["three winners"], ORDER):
        tables = regret_table(matrix, "copeland")[None]
        played = simulate(make(label), matrix.P, tables, np.array([10, 500, 1500]), *streams(2, 0))
        text.update(played.regret.tobytes() + played.duels.tobytes())
    return text.hexdigest()


def test_interpreted_kernels_give_the_same_bits():
    assert output_of(DIGESTS, interpreted=True).split() == [digest(label) for label in ALL]
    assert all(make(label).compiled() for label in ALL)
