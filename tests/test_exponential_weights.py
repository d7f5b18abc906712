"""Exponential weights: what paths in catalogue.py do not show, above all the distribution of REX3's holds."""

import numpy as np
import pytest
from pydantic import ValidationError

from duelbench.algorithms.exponential_weights import sparring as fast
from duelbench.algorithms.exponential_weights.rex3 import Rex3
from tests.comparison import mutated
from tests.reference.exponential_weights import mixed

# Sparring


def test_exp3s_weights_never_overflow(interpreted):
    bandit, shares = fast.new_exp3s(3), np.full(3, 1 / 3)
    rng, divided = np.random.default_rng(2), 0
    for _ in range(3000):
        before = bandit.weights[0].total
        arm = fast.choose_exp3s(bandit, 0.3, rng)
        np.testing.assert_allclose(bandit.p, 0.7 * shares + 0.1, rtol=1e-9)
        fast.learn(bandit, 0.3, 0.02, arm, 1)
        gain = 0.3 / (3 * bandit.p[arm]) * (np.arange(3) == arm)
        shares = shares * np.exp(gain) + 0.02 / 3
        shares /= shares.sum()
        divided += bandit.weights[0].total < before
    assert divided > 5
    assert bandit.weights[0].total <= fast.LARGE


# REX3: the distribution of holds, from the requests to the stream: the probability of the geometric number, and the
# uniform numbers for which a round is accepted or has a given duel.

PLAIN = {
    "from duelbench.compiling.jit import kernel": "kernel = lambda function: function",
    "weights.dexp3 import mix": "weights.dexp3 import mix\nmix = getattr(mix, 'py_func', mix)",
    "import draw_arm": "import draw_arm\ndraw_arm = getattr(draw_arm, 'py_func', draw_arm)",
}
"""An interpreted copy: faster for a few thousand answers, and it accepts any stream."""
R = np.array([900.0, 0.0, 180.0, -500.0])  # arm 0 leads
FIXED, ADAPTIVE = {"gamma": 0.03}, {"adaptive": True, "g": 1.5}
BEGUN, PLANNED = 4000, 4200
GRID = (np.arange(400) + 0.5) / 400
SURE = 1 - 1e-9


class Script:
    """A fake Generator that returns given numbers in order and records the probability of the geometric one."""

    def __init__(self, geometric, *uniforms):
        self.number, self.uniforms, self.chance = geometric, list(uniforms), None

    def random(self):
        return self.uniforms.pop(0)

    def geometric(self, chance):
        self.chance = chance
        return self.number


def answered(algorithm, state, *uniforms, ahead=PLANNED - BEGUN):
    """Return the duel at the end of a hold planned in round ``BEGUN``, and the probability of its geometric number."""
    rng = Script(ahead + 1, *uniforms)
    state.R[:] = R
    state.plan[0].moved, state.plan[0].due = True, 0
    hold = algorithm.select(state, BEGUN, 10**6, rng)
    assert hold == (0, 0, ahead)
    return algorithm.select(state, BEGUN + ahead, 10**6, rng), rng.chance


def reference_chances(algorithm, t):
    scale = 4 * np.log(4) / (np.e * algorithm.g)
    gamma = algorithm.gamma or min(0.5, np.sqrt(scale / t))
    return mixed(np.exp(gamma * (R - R.max()) / 4), gamma)


def has_the_law_of_the_reference(algorithm):
    """Return whether rounds that may end a hold, and their pairs, have the reference's probabilities, to 3 in 1000."""
    state = algorithm.start(4, 10**6)
    p = reference_chances(algorithm, PLANNED)
    rest = np.append(0, p[1:]) / p[1:].sum()
    _, chance = answered(algorithm, state, 0.0, 0.5, 0.5, 0.5)
    accept = [0.0] if algorithm.adaptive else []

    def shares(*uniforms):
        """Return the shares of pairs, of shape (4, 4), over a grid of values for the number that is None."""
        found = np.zeros((4, 4))
        for u in GRID:
            pair, _ = answered(algorithm, state, *(u if each is None else each for each in uniforms))
            found[pair[:2]] += 1 / len(GRID)
        return found

    ends = chance * (1 - shares(None, SURE, 0.5, 0.5)[0, 0]) if algorithm.adaptive else chance
    found = [
        [1 - shares(*accept, None, 0.5, 0.5)[0].sum()],
        shares(*accept, 0.0, None, 0.5).sum(axis=1),
        shares(*accept, 0.0, 0.5, None).sum(axis=0),
        shares(*accept, SURE, None)[0],
    ]
    reference = [[1 / (1 + p[0])], rest, p, rest]
    return bool(np.isclose(ends, 1 - p[0] ** 2, rtol=0.003)) and all(
        np.allclose(each, other, rtol=0, atol=0.0026) for each, other in zip(found, reference, strict=True)
    )


@pytest.mark.parametrize("parameters", [FIXED, ADAPTIVE], ids=str)
def test_rex3_hold_has_the_law_of_rounds(parameters, tmp_path):
    assert has_the_law_of_the_reference(mutated("rex3", PLAIN, tmp_path, "Rex3")(**parameters))


def test_rex3_bound_holds_for_its_span(tmp_path):
    algorithm, rng = mutated("rex3", PLAIN, tmp_path, "Rex3")(adaptive=True), np.random.default_rng(3)
    for t in (600, 5000, 10**6):
        end, scale = t + t // 16, 5 * np.log(5) / (np.e * 0.5)
        state = algorithm.start(5, 1)
        state.R[:] = (rng.normal(size=5) + 12 * np.eye(5)[2]) * np.sqrt(t)
        script = Script(10**9)
        assert algorithm.select(state, t, 10**9, script) == (2, 2, end - t + 1)
        for s in np.linspace(t, end, 20).astype(int):
            gamma = min(0.5, np.sqrt(scale / s))
            p = mixed(np.exp(gamma * (state.R - state.R.max()) / 5), gamma)[2]
            assert 0.8 * script.chance < 1 - p**2 <= script.chance * (1 + 1e-12), t
        assert algorithm.select(state, end + 1, 10**9, script)[2] == (end + 1) // 16 + 1


def test_rex3_parameters_that_exclude_each_other():
    with pytest.raises(ValidationError, match="remove one of them"):
        Rex3(gamma=0.1, adaptive=True)
