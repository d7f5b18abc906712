"""Single elimination, as SELECT, NTS and SELECT-then-verify play it: literal paths, byes, blocks, no winner."""

import numpy as np
import pytest

from duelbench.algorithms.identification.nts import Nts
from duelbench.algorithms.identification.select import Select
from duelbench.algorithms.identification.select_then_verify import SelectThenVerify
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.statistics import disagreement
from duelbench.literal import select, sprt
from duelbench.preferences.matrix import PreferenceMatrix
from tests.comparison import MATRICES, mutated, output_of
from tests.exploring import ALL, DECISIVE, OTHERS, TOURNAMENTS, literal_path, make, same, whole
from tests.test_holds_random import CASES as HELD
from tests.test_holds_random import held, stepped

LABELS = [label for label in TOURNAMENTS if label.startswith(("select", "nts"))]
EVERYWHERE = MATRICES | DECISIVE | OTHERS


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("label", LABELS)
def test_the_path_is_the_literal_one(label, name):
    for seed in range(3):
        ours = engine_course(make(label), EVERYWHERE[name], ALL[label].rounds, seed)
        assert same(ours, literal_path(label, EVERYWHERE[name], ALL[label].rounds, seed))


MISTAKES = {
    "one duel more in a pair": ("select", select, "duels_for", lambda right: lambda *a: right(*a) + 1),
    "a draw goes to the second arm": ("select, even", select, "first_wins", lambda right: lambda *a: not right(*a)),
    "a lead of one more": ("nts", sprt, "limit", lambda right: lambda *a: right(*a) + 1),
    "a lead of one more to verify": ("select-then-verify", sprt, "limit", lambda right: lambda *a: right(*a) + 1),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistaken_transcription_has_another_path(mistake, monkeypatch):
    label, module, name, wrong = MISTAKES[mistake]
    matrix = order(7, 0.8)
    ours = [engine_course(make(label), matrix, 1500, seed) for seed in range(3)]
    assert all(same(each, literal_path(label, matrix, 1500, seed)) for seed, each in enumerate(ours))
    monkeypatch.setattr(module, name, wrong(getattr(module, name)))
    assert not any(same(each, literal_path(label, matrix, 1500, seed)) for seed, each in enumerate(ours))


@pytest.mark.parametrize("arms", range(2, 18))
def test_everybody_but_one_loses_once_in_the_bracket(arms):
    """On a certain order; NTS decides at most 2K − ⌊log2 K⌋ − 2 pairs, and all of the winner's."""
    matrix = PreferenceMatrix(np.triu(np.ones((arms, arms)), 1) + np.eye(arms) / 2)
    for seed in range(4):
        bracket = whole(Select(duels_per_pair=1), matrix, 100, seed)
        assert bracket.declaration == (0, arms - 1)
        met = bracket.duels + bracket.duels.T - 2 * np.diag(bracket.duels.diagonal())
        rounds = (met.sum(axis=1)).max()
        assert rounds <= np.ceil(np.log2(arms))
        tested = whole(Nts(h=0.49), matrix, 1000, seed)
        pairs = np.triu(tested.duels + tested.duels.T, 1) > 0
        assert tested.declaration[0] == 0
        assert pairs[0, 1:].all()
        assert pairs.sum() <= 2 * arms - np.floor(np.log2(arms)) - 2
        verified = whole(SelectThenVerify(h=0.49), matrix, 1000, seed)
        assert verified.declaration[0] == 0


@pytest.mark.parametrize("algorithm", [Nts(h=0.4), SelectThenVerify(h=0.4)])
def test_where_there_is_no_winner_that_is_declared(algorithm):
    """Arm 2 beats all but arm 0, which loses to arm 1: the one with most pairs won is held, and recommended."""
    matrix = order(3, 1.0).relabelled([0, 1, 2]).P.copy()
    matrix[0, 2], matrix[2, 0] = 0.0, 1.0
    for seed in range(5):
        played = whole(algorithm, PreferenceMatrix(matrix), 500, seed)
        assert played.declaration == (None, played.informative)
        held = np.flatnonzero(played.duels.diagonal())
        assert len(held) == 1
        assert played.duels[held[0], held[0]] == 500 - played.informative
        assert played.informative < 150


def test_the_arm_that_has_come_furthest_is_recommended():
    algorithm, rng = Select(duels_per_pair=3), np.random.default_rng(1)
    state = algorithm.start(4, 100)
    assert algorithm.recommendation(state) is None
    first, second, count = algorithm.select(state, 1, 100, rng)
    assert count == 3
    assert algorithm.recommendation(state) is None
    algorithm.update(state, first, second, 1, 3)
    assert algorithm.recommendation(state) == second
    third, fourth, _ = algorithm.select(state, 4, 100, rng)
    algorithm.update(state, third, fourth, 3, 3)
    assert algorithm.recommendation(state) == second
    assert algorithm.select(state, 7, 100, rng) == (second, third, 3)
    assert algorithm.recommendation(state) == second
    algorithm.update(state, second, third, 0, 3)
    assert algorithm.recommendation(state) == third  # also where the budget ends here
    assert algorithm.declaration(state) is None
    assert algorithm.select(state, 10, 100, rng) == (third, third, 91)
    assert algorithm.recommendation(state) == third
    assert algorithm.declaration(state) == (third, 9)


@pytest.mark.parametrize("algorithm", [Nts(h=0.3), SelectThenVerify(h=0.3)])
def test_the_winner_of_the_bracket_is_recommended_while_it_is_verified(algorithm):
    rng, state, t = np.random.default_rng(1), algorithm.start(4, 1), 1
    P = order(4, 1.0).P
    while algorithm.declaration(state) is None:
        first, second, count = algorithm.select(state, t, 10_000, rng)
        algorithm.update(state, first, second, int(P[first, second]) * count, count)
        t += count
        if state.stage[0].phase == 2:
            assert algorithm.recommendation(state) == 0
    assert algorithm.recommendation(state) == 0


LATE = """
from tests.exploring import TOURNAMENTS
from tests.test_algorithms_elimination import late_winner
for label in TOURNAMENTS:
    if label not in ("select, even", "nts, rash"):
        print(late_winner(label))
"""


def test_outcomes_that_come_late_change_no_rule():
    assert set(output_of(LATE, interpreted=True).split()) == {"0"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "right", "wrong"),
    [
        ("select, early stop", "// 2 + 1 - max", "// 2 + 6 - max"),
        ("nts", "else sprt_block(state.pair, state.boundary)", "else sprt_block(state.pair, state.boundary) + 3"),
    ],
)
def test_blocks_too_long_are_seen(label, right, wrong, tmp_path):
    named = {right: wrong, "    uses_horizon = False\n": '    uses_horizon = False\n    name = "wrong"\n'}

    class Wrong(mutated("single_elimination", named, tmp_path, "SingleElimination")):
        def start(self, arms, horizon):
            return HELD[label].algorithm.start(arms, horizon)

    assert disagreement(held(HELD[label], Wrong()), stepped(label)) < 1e-7
