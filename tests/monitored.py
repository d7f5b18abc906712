"""The algorithms that watch for changes: their paths beside the literal ones, also where preferences do change."""

import types
from pathlib import Path

import numpy as np

from duelbench.algorithms.monitored import restarting
from duelbench.algorithms.monitored import ws_w_rounds as of_rounds
from duelbench.algorithms.winner_stays import standing
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem
from duelbench.engine.rollout import rollout
from duelbench.runs.transcription import changing_course
from tests.paths import INSTANCES

NAMES = ("mslr5-condorcet", "two arms", "no difference", "certain", "one winner, the rest tied")
ORDERS = [order(4, 0.9).relabelled(labels) for labels in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2])]
"""Three winners, one after the other."""


def interpreted(module, replacements=(), **names):
    """Return a module as plain Python, with some text replaced and some names given."""
    text = Path(module.__file__).read_text(encoding="utf-8").replace("@kernel\n", "").replace("@rare_kernel\n", "")
    for old, new in replacements:
        assert text.count(old) == 1
        text = text.replace(old, new)
    plain = types.ModuleType("plain")
    exec(compile(text, module.__file__, "exec"), vars(plain))
    vars(plain).update(names)
    return plain


def ws_w_rounds():
    """Return the module of that name as plain Python, with what it uses."""
    used = vars(interpreted(standing)) | vars(interpreted(restarting))
    names = ("largest_but", "leader", "learn", "next_duels", "restart_standing")
    return interpreted(of_rounds, **{name: used[name] for name in names})


def plays_as_written(algorithm, module, name, rounds=1500):
    """Tell whether the path on an instance is that of the transcription: a long run, and short ones."""
    matrix = INSTANCES[name]
    return all(
        np.array_equal(
            engine_path(algorithm, matrix, horizon, seed),
            literal_path(module.run, matrix, horizon, seed, **algorithm.model_dump()),
        )
        for seed, horizon in ((1, rounds), (2, 300), (3, 1), (4, 2), (5, 40))
    )


def changing(rounds):
    """Return the problem of the three orders, each for so many rounds; the "regret" of a pair is its number."""
    numbers = np.arange(16.0).reshape(1, 4, 4)
    return Problem.changing([1 + k * rounds for k in range(3)], [each.P for each in ORDERS], [numbers] * 3)


def path_of(run):
    return np.stack(np.divmod(np.diff(run.regret[0], prepend=0.0).astype(int), 4), axis=1)


def on_changes(algorithm, rounds, seed, **how):
    """Return the run of the engine on the three orders, looked at after each round."""
    return rollout(algorithm, changing(rounds), np.arange(1, 3 * rounds + 1), streams(seed, 0), **how)


def plays_changes_as_written(algorithm, rounds, seed):
    """Tell whether its path on the three orders is that of its transcription."""
    literally, _ = changing_course(algorithm, changing(rounds), 3 * rounds, streams(seed, 0))
    return np.array_equal(path_of(on_changes(algorithm, rounds, seed)), literally)
