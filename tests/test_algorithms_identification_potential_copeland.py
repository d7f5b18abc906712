"""POCOWISTA and TRA-POCOWISTA: literal paths, what is decided, blocks."""

import numpy as np
import pytest

from duelbench.algorithms.identification.pocowista import Pocowista
from duelbench.algorithms.identification.tra_pocowista import TraPocowista
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.statistics import disagreement
from duelbench.literal import pocowista, ppr, tra_pocowista
from duelbench.preferences.matrix import PreferenceMatrix
from tests.comparison import MATRICES, mutated
from tests.exploring import ALL, DECISIVE, OTHERS, TOURNAMENTS, literal_path, make, same, whole
from tests.test_holds_random import CASES as HELD
from tests.test_holds_random import held, stepped

LABELS = [label for label in TOURNAMENTS if "pocowista" in label]
EVERYWHERE = MATRICES | DECISIVE | OTHERS


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("label", LABELS)
def test_the_path_is_the_literal_one(label, name):
    for seed in range(2):
        ours = engine_course(make(label), EVERYWHERE[name], ALL[label].rounds, seed)
        assert same(ours, literal_path(label, EVERYWHERE[name], ALL[label].rounds, seed))


def without_potential(order, above):
    """A mistaken next pair: the challenger is the arm with the best score so far."""
    i, j = pocowista_next_pair(order, above)
    if j is None:
        return i, j
    score = {arm: len(above[arm]) for arm in order}
    undecided = {i: [j for j in order if j != i and j not in above[i] and i not in above[j]] for i in order}
    i = max((arm for arm in order if undecided[arm]), key=score.get)
    return i, max(undecided[i], key=score.get)


pocowista_next_pair = pocowista.next_pair
MISTAKES = {
    "a wider density": ("pocowista", ppr, "log_density", lambda a, b, right=ppr.log_density: right(a, b) + 0.1),
    "no potential": ("pocowista", pocowista, "next_pair", without_potential),
    "nothing follows": ("tra-pocowista", tra_pocowista, "close", lambda above: None),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistaken_transcription_has_another_path(mistake, monkeypatch):
    label, module, name, wrong = MISTAKES[mistake]
    matrix = order(6, 0.85)
    ours = [engine_course(make(label), matrix, 2500, seed) for seed in range(3)]
    assert all(same(each, literal_path(label, matrix, 2500, seed)) for seed, each in enumerate(ours))
    monkeypatch.setattr(module, name, wrong)
    assert not all(same(each, literal_path(label, matrix, 2500, seed)) for seed, each in enumerate(ours))


@pytest.mark.parametrize("arms", [2, 3, 4, 7, 12])
def test_what_follows_spares_all_but_one_pair_per_arm(arms):
    matrix = PreferenceMatrix(np.triu(np.ones((arms, arms)), 1) + np.eye(arms) / 2)
    for seed in range(4):
        for algorithm in (TraPocowista(), Pocowista()):
            played = whole(algorithm, matrix, 10_000, seed)
            pairs = (np.triu(played.duels + played.duels.T, 1) > 0).sum()
            assert played.declaration[0] == 0
            assert pairs == arms - 1 if isinstance(algorithm, TraPocowista) else pairs <= 2 * arms - 3


def test_the_arm_known_to_beat_most_is_recommended():
    algorithm, rng = Pocowista(), np.random.default_rng(1)
    state = algorithm.start(3, 1)
    first, second, count = algorithm.select(state, 1, 1000, rng)
    assert algorithm.recommendation(state) is None
    algorithm.update(state, first, second, 0, count)
    t = 1 + count
    assert algorithm.select(state, t, 1000, rng)[0] != first  # that arm can beat one more at most
    assert algorithm.recommendation(state) == second


@pytest.mark.slow
def test_blocks_too_long_are_seen(tmp_path):
    wrong = {
        "ppr_block(state.pair, state.log_level, last - t + 1)\n": "min(last - t + 1, 40)\n",
        "    uses_horizon = False\n": '    uses_horizon = False\n    name = "wrong"\n',
    }

    class Wrong(mutated("potential_copeland", wrong, tmp_path, "PotentialCopeland")):
        def start(self, arms, horizon):
            return HELD["pocowista"].algorithm.start(arms, horizon)

    assert disagreement(held(HELD["pocowista"], Wrong()), stepped("pocowista")) < 1e-7
