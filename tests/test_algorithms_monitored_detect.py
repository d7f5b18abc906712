"""DETECT: its path is the literal one, with every inner algorithm and through every reset; its constants."""

import numpy as np
import pytest

from duelbench.algorithms.monitored.detect import Detect
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.engine.play import Rules
from duelbench.literal import detect as literal
from duelbench.literal import halves, inner
from tests.monitored import NAMES, on_changes, path_of, plays_as_written, plays_changes_as_written
from tests.paths import INSTANCES

CASES = {
    "ws-w": {"explore": 40, "window": 6, "threshold": 1.5},
    "ws-w, short": {"explore": 3, "window": 4, "threshold": 1.0},
    "ws-w, computed": {"delta": 1.0},
    "btw": {"inner": "btw", "explore": 30, "window": 6, "threshold": 1.0},
    "btw, log": {"inner": "btw", "form": "log", "p_min": 0.95, "delta": 1.0},
    "mbtw": {"inner": "mbtw", "explore": 30, "window": 6, "threshold": 1.0},
}
SEEN = {"explore": 300, "window": 40, "threshold": 14.0}
"""What sees a winner that loses nine times in ten instead of one."""


@pytest.mark.parametrize("case", CASES)
def test_the_path_is_the_literal_one(case):
    for name in NAMES:
        assert plays_as_written(Detect(**CASES[case]), literal, name), name


@pytest.mark.parametrize("inner", ["ws-w", "btw", "mbtw"])
def test_it_is_the_literal_one_where_preferences_change_and_sees_that(inner):
    algorithm = Detect(inner=inner, **SEEN)
    assert plays_changes_as_written(algorithm, 1000, 1)
    run = on_changes(algorithm, 1000, 1)
    before, after = run.detections
    assert 1000 < before < 1200 < 2000 < after < 2200
    for end, winner in ((1000, 0), (2000, 3), (3000, 2)):
        assert np.all((path_of(run)[end - 300 : end] == winner).any(axis=1))


@pytest.mark.parametrize("inner", ["ws-w", "btw", "mbtw"])
def test_what_was_asked_for_before_a_change_is_dropped(inner):
    run = on_changes(Detect(inner=inner, **SEEN), 3000, 1, rules=Rules(delay=30))
    assert len(run.detections) == 2
    for end, winner in ((3000, 0), (6000, 3), (9000, 2)):
        assert np.all((path_of(run)[end - 300 : end] == winner).any(axis=1))


def older_is_longer(self, outcome, b, right=halves.Window.has_changed):
    right(self, outcome, b)
    part = len(self.outcomes) // 2 + 1
    older, newer = self.outcomes[:part], self.outcomes[part:]
    return len(self.outcomes) == self.w and abs(sum(newer) - sum(older)) > b


class Forgetful(inner.WsW):
    """Suspects the incumbent, in every round."""

    def learn(self, *duel):
        super().learn(*duel)
        self.suspect = self.incumbent


MISTAKES = {
    "unequal halves": (halves.Window, "has_changed", older_is_longer),
    "a window too long": (halves.Window, "__init__", lambda self, w: vars(self).update(w=w + 2, outcomes=[])),
    "the incumbent is suspected": (literal, "INNER", {"ws-w": Forgetful}),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistaken_transcription_has_another_path(mistake, monkeypatch):
    matrix, parameters = INSTANCES["mslr5-condorcet"], CASES["ws-w"]
    ours = engine_path(Detect(**parameters), matrix, 1000, 1)
    assert np.array_equal(ours, literal_path(literal.run, matrix, 1000, 1, **parameters))
    monkeypatch.setattr(*MISTAKES[mistake])
    assert not np.array_equal(ours, literal_path(literal.run, matrix, 1000, 1, **parameters))


@pytest.mark.parametrize("mistake", [{"threshold": 2.0}, {"explore": 41}, {"window": 8}, {"inner": "btw"}], ids=str)
def test_a_mistaken_algorithm_has_another_path(mistake):
    matrix, parameters = INSTANCES["mslr5-condorcet"], CASES["ws-w"]
    ours = engine_path(Detect(**parameters | mistake), matrix, 1000, 1)
    assert not np.array_equal(ours, literal_path(literal.run, matrix, 1000, 1, **parameters))


def test_constants_are_those_of_the_authors():
    state = Detect().start(10, 10**6)
    assert (state.explore, state.windows.length, round(state.threshold, 2)) == (1000, 900, 67.5)
    assert Detect(form="log", p_min=0.8).start(10, 10**6).explore == 1884
    assert Detect(form="log").start(10, 10**6).explore == pytest.approx(2.5e6, rel=0.02)
    for form in ("root", "log"):
        for T in (1, 2, 10, 10**4, 10**6):
            state = Detect(form=form).start(6, T)
            ours = state.explore, state.windows.length, state.threshold
            assert ours == pytest.approx(literal.constants(T, 6, 0.55, 0.3, form))
