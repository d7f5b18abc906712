"""The algorithms that watch for changes: runs in which preferences do change, and modules as plain Python."""

import types
from pathlib import Path

import numpy as np

from duelbench.algorithms.monitored import restarting
from duelbench.algorithms.monitored import ws_w_rounds as of_rounds
from duelbench.algorithms.winner_stays import standing
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem
from duelbench.engine.rollout import rollout

ORDERS = [order(4, 0.9).relabelled(labels) for labels in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2])]
"""Three winners, one after the other."""


def plain_module(module, replacements=(), **names):
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
    used = vars(plain_module(standing)) | vars(plain_module(restarting))
    names = ("largest_but", "leader", "learn", "next_duels", "restart_standing")
    return plain_module(of_rounds, **{name: used[name] for name in names})


def changing(rounds):
    """Return the problem of the three orders, each for so many rounds; the "regret" of a pair is its number."""
    numbers = np.arange(16.0).reshape(1, 4, 4)
    return Problem.changing([1 + k * rounds for k in range(3)], [each.P for each in ORDERS], [numbers] * 3)


def path_of(run):
    return np.stack(np.divmod(np.diff(run.regret[0], prepend=0.0).astype(int), 4), axis=1)


def on_changes(algorithm, rounds, seed, **how):
    """Return the run of the engine on the three orders, looked at after each round."""
    return rollout(algorithm, changing(rounds), np.arange(1, 3 * rounds + 1), streams(seed, 0), **how)
