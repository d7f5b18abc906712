"""Versatile-DB: its literal paths, its regret beside what others have counted, and late outcomes."""

import numpy as np
import pytest

from duelbench.algorithms.reductions.versatile_db import VersatileDb
from duelbench.conformance.paths import engine_path
from duelbench.conformance.rounds import streams
from duelbench.literal import versatile_db
from tests.paths import INSTANCES, share_of_the_winner
from tests.transcribed import literal_course, mistaken, plays_as
from tests.winners import Stated, deviation

VARIANTS = {
    "plain": {},
    "shared": {"shared": True},
    "rv": {"estimator": "rv"},
    "rv, shared": {"estimator": "rv", "shared": True},
    "eta": {"eta_scale": 0.7},
}
variants = pytest.mark.parametrize("variant", VARIANTS)


@variants
def test_the_path_is_the_literal_one(variant):
    """As long as it may be: a difference in the last bit of p grows tenfold in a hundred rounds of one over p."""
    for label in INSTANCES if variant == "plain" else ("cyclic4", "certain", "two arms", "no difference"):
        for seed, horizon in ((1, 250), (2, 50), (3, 1), (4, 2)):
            assert plays_as(versatile_db, VersatileDb, INSTANCES[label], horizon, seed, **VARIANTS[variant]), label


@pytest.mark.parametrize(
    ("variant", "old", "new"),
    [
        ("plain", "eta = eta_scale / math", "eta = 1.02 * eta_scale / math"),
        ("plain", "a, 1 - o, eta", "a, (1 - o) * (a != b), eta"),  # player 1 learns nothing from self-duels
        ("plain", "b, int(o), eta", "b, int(o) * (a != b), eta"),
        ("plain", "a, 1 - o, eta", "a, o, eta"),
        ("shared", "eta, estimator) / (2 if shared else 1)\n    return", "eta, estimator)\n    return"),
        ("rv", "added = B.copy()", "added = np.zeros(len(p))"),  # the code that is biased
        ("rv", "p >= eta**2", "p >= eta"),
        ("rv", '"rv": 4', '"rv": 2'),
    ],
)
def test_a_mistaken_transcription_has_another_path(variant, old, new):
    matrix, parameters = INSTANCES["cyclic4"], VARIANTS[variant]
    wrong, _ = literal_course(mistaken(versatile_db, old, new), matrix, 300, 1, **parameters)
    assert not np.array_equal(engine_path(VersatileDb(**parameters), matrix, 300, 1), wrong)


# Of 100 runs each at 1e3, 1e4 and 1e5, by another program with these steps; the errors but of the last are ours.
COUNTED = {
    "plain": {"six-rankers": (46.3, 240, 561), "mslr5-condorcet": (52.4, 168, 344), "cyclic4": (47.5, 147, 271)},
    "shared": {"six-rankers": (43.8, 194, 425), "mslr5-condorcet": (44.8, 131, 258), "cyclic4": (41.0, 113, 204)},
    "rv": {"six-rankers": (42.3, 160, 296), "mslr5-condorcet": (40.8, 107, 185), "cyclic4": (39.4, 89.7, 139)},
}
ERRORS = {"plain": (0.9, 4.5, 13), "shared": (1.1, 4.5, 10), "rv": (0.9, 3.2, 7)}
STATED = [
    pytest.param(
        variant,
        Stated(instance, t, mean, error, 300 if t < 100_000 else 150, "condorcet"),
        marks=pytest.mark.slow if t != 10_000 or instance == "mslr5-condorcet" else (),
        id=f"{variant}, {instance}, {t}",
    )
    for variant, of in COUNTED.items()
    for instance, means in of.items()
    for t, mean, error in zip((1000, 10_000, 100_000), means, ERRORS[variant], strict=True)
]


@pytest.mark.parametrize(("variant", "stated"), STATED)
def test_regret_as_stated(variant, stated):
    assert abs(deviation(VersatileDb(**VARIANTS[variant]), stated)) < 3.5


def test_another_variant_has_another_regret():
    """So the numbers above tell these apart; a fiftieth of η is seen by the path."""
    stated = Stated("six-rankers", 10_000, 240, 4.5, 300, "condorcet")
    for variant in ("shared", "rv"):
        assert abs(deviation(VersatileDb(**VARIANTS[variant]), stated)) > 4


@variants
@pytest.mark.parametrize(("delay", "share"), [(2, 0.9), (30, 0.9), (1000, 0.6)])
def test_late_outcomes_teach_all_the_same(variant, delay, share):
    assert share_of_the_winner(VersatileDb(**VARIANTS[variant]), delay) > share


def test_each_player_hears_of_every_duel_what_the_other_does_not():
    P, algorithm = INSTANCES["six-rankers"].P, VersatileDb()
    environment, policy = streams(3, 0)
    state, self_duels = algorithm.start(6, 500), 0
    for t in range(1, 501):
        before = state.players.loss.copy()
        first, second, count = algorithm.select(state, t, 500, policy)
        assert count == 1
        self_duels += first == second
        algorithm.update(state, first, second, int(first != second and environment.random() < P[first, second]), 1)
        grown = state.players.loss - before
        (m,), (arm,) = np.nonzero(grown)
        assert arm == (first, second)[m]
        assert grown[m, arm] == pytest.approx(1 / state.players.chance[m, arm])
    assert 0 < self_duels < 500
