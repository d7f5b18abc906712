"""The algorithms that explore, declare a winner and play it to the end: their cases, and their paths beside the literal
ones."""

import importlib
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal.exploration import course
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.tables import TABLES


class Case(NamedTuple):
    """An algorithm with its parameters, and so many rounds as its transcription plays in a tenth of a second."""

    name: str
    parameters: dict
    rounds: int


SAMPLED = {"independence": "sampled", "delta": 0.5, "steps": 20}
CASES = {
    "if": Case("if", {}, 10_000),
    "pbr": Case("pbr", {}, 8000),
    "rankel": Case("rankel", {}, 4000),
    "rankel, sole winner": Case("rankel", {"until": "sole-winner"}, 4000),
    "uniform exploration": Case("uniform-exploration", {}, 8000),
    "wrapped": Case("wrapped", {"delta": 0.5}, 3000),
    "wrapped, ucb": Case("wrapped", {"delta": 0.5, "rule": "ucb"}, 500),
    "naive": Case("naive", {"delta": 0.5}, 3000),
    "naive, ucb": Case("naive", {"delta": 0.5, "rule": "ucb"}, 500),
    "naive, uniform": Case("naive", {"delta": 0.5, "rule": "uniform"}, 3000),
    "condorcet": Case("savage", {"variant": "condorcet"}, 1500),
    "condorcet, epsilon": Case("savage", {"variant": "condorcet", "delta": 0.5, "epsilon": 0.2}, 1500),
    "copeland": Case("savage", {}, 1500),
    "copeland, epsilon": Case("savage", {"delta": 0.5, "epsilon": 0.34}, 1500),
    "borda": Case("savage", {"variant": "borda", "delta": 0.9}, 1000),
    "borda, epsilon": Case("savage", {"variant": "borda", "delta": 0.5, "epsilon": 0.2}, 1000),
    "argmax": Case("savage", {"variant": "argmax", "delta": 0.5}, 1500),
    "argmax, epsilon": Case("savage", {"variant": "argmax", "delta": 0.5, "epsilon": 0.2}, 1500),
    "copeland, sampled": Case("savage", {**SAMPLED, "starts": 3}, 200),
    "borda, sampled": Case("savage", {**SAMPLED, "variant": "borda", "starts": 3}, 200),
    "argmax, sampled": Case("savage", {**SAMPLED, "variant": "argmax"}, 800),
    "btm": Case("btm", {}, 2000),
    "btm, eager": Case("btm", {"confidence_scale": 0.3, "gamma": 1.0}, 2000),
    "btm, eager, gamma": Case("btm", {"confidence_scale": 0.2, "gamma": 1.3}, 2000),
    "btm, rash": Case("btm", {"confidence_scale": 0.01, "gamma": 1.0}, 2000),
    "btm, scale 1, gamma 1": Case("btm", {"confidence_scale": 1.0, "gamma": 1.0}, 2000),
    "btm, komiyama": Case("btm", {"confidence_scale": 0.3, "gamma": 1.0, "variant": "komiyama"}, 2000),
    "btm, komiyama, rash": Case("btm", {"confidence_scale": 1e-20, "variant": "komiyama"}, 2000),
    "pl-pac": Case("pl-pac", {"delta": 0.3}, 2000),
    "pl-pac, one left": Case("pl-pac", {"epsilon": 0.0}, 2000),
    "pl-pac, heckel": Case("pl-pac", {"epsilon": 0.0, "delta": 0.7, "variant": "heckel"}, 2000),
    "borda elimination": Case("borda-elimination", {"delta": 0.9}, 3000),
    "secs": Case("secs", {"sparsity": 1}, 1000),
    "secs, gate": Case("secs", {"sparsity": 2, "gate": 50, "constant": 0.1}, 1000),
    "active ranking": Case("active-ranking", {}, 3000),
    "active ranking, experiments": Case("active-ranking", {"delta": 0.7, "radius": "experiments"}, 3000),
    "explore-verify": Case("explore-verify", {"delta": 0.5}, 2000),
    "btm-pac": Case("btm-pac", {"delta": 0.5}, 2000),
    "btm-pac, slack": Case("btm-pac", {"epsilon": 0.5, "self_duels": False}, 2000),
    "btm-pac, heckel": Case("btm-pac", {"delta": 0.7, "variant": "heckel"}, 2000),
}
"""Those that answer one duel at a time until the winner is declared (BTM: or in blocks)."""

BATCHES = {
    f"{name}{', ' * bool(label)}{label}": Case(name, parameters, 6000)
    for name in ("pcomp", "scomp", "scomp2")
    for label, parameters in {
        "": {},
        "kl": {"elimination": "kl"},
        "kl, few batches": {"elimination": "kl", "batches": 5},
        "delta": {"delta": 0.2, "batches": 9},
        "kl, delta": {"delta": 0.2, "batches": 12, "elimination": "kl"},
    }.items()
}
"""Those whose requests are the duels of a whole batch."""

TOURNAMENTS = {
    "select": Case("select", {"gap": 0.2}, 1500),
    "select, early stop": Case("select", {"gap": 0.2, "early_stop": True}, 1500),
    "select, even": Case("select", {"duels_per_pair": 2}, 100),
    "select, budget": Case("select", {"budget": 200}, 300),
    "nts": Case("nts", {"h": 0.1}, 1500),
    "nts, rash": Case("nts", {"h": 0.3, "alpha": 0.4, "beta": 0.5}, 500),
    "select-then-verify": Case("select-then-verify", {"h": 0.2, "beta": 0.1}, 1500),
    "dkwt": Case("dkwt", {"delta": 0.5}, 4000),
    "dkwt, reuse": Case("dkwt", {"delta": 0.9, "reuse": True}, 4000),
    "pocowista": Case("pocowista", {}, 2500),
    "pocowista, two outcomes": Case("pocowista", {"delta": 0.5, "outcomes": 2}, 2500),
    "tra-pocowista": Case("tra-pocowista", {"delta": 0.2}, 1500),
    "parwis": Case("parwis", {"budget": 130}, 150),
    "parwis, random top": Case("parwis", {"budget": 90, "pairs": "random-top"}, 100),
    "parwis, top two": Case("parwis", {"budget": 90, "pairs": "top-two"}, 100),
}
"""Those that decide pairs in a tournament, in blocks of duels, and PARWiS."""
MATCHES = {
    "trace the best": Case("trace-the-best", {"epsilon": 0.2}, 6000),
    "divide and battle": Case("divide-and-battle", {"epsilon": 0.5}, 6000),
    "halving battle": Case("halving-battle", {"epsilon": 0.4, "delta": 0.5}, 6000),
    "halving battle, ties": Case("halving-battle", {"epsilon": 0.5, "delta": 0.99}, 6000),
}
"""Those whose requests are all duels of two arms."""

ALL = CASES | BATCHES | TOURNAMENTS | MATCHES


def from_upper_triangle(*rows):
    P = np.full((len(rows) + 1, len(rows) + 1), 0.5)
    for i, row in enumerate(rows):
        P[i, i + 1 :] = row
        P[i + 1 :, i] = 1 - np.array(row)
    return PreferenceMatrix(P)


ORDER = from_upper_triangle([0.9, 0.9, 0.95, 0.95], [0.9, 0.9, 0.95], [0.85, 0.9], [0.9])
DECISIVE = {
    "two arms": from_upper_triangle([0.9]),
    "certain cycle": from_upper_triangle([1.0, 0.0], [1.0]),
    "three winners": from_upper_triangle([0.9, 0.1, 0.85], [0.9, 0.85], [0.85]),
    "order": ORDER,
}
"""Matrices whose pairs are decided within a few hundred duels."""
TIED = np.full((5, 5), 0.5)
TIED[0, 1:], TIED[1:, 0] = 0.7, 0.3
OTHERS = {
    "one winner, the rest tied": PreferenceMatrix(TIED),
    "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
    "tennis8, with zeros and ones": TABLES["tennis8"].matrix(),
    "sushi16, with ties": TABLES["sushi16"].matrix(),
}
BANDIT = from_upper_triangle([0.9, 0.1, 0.8, 0.6], [0.2, 0.5, 0.3], [0.9, 0.8], [0.3])
"""What arms 1 to 4 win against arm 0: 0.1, 0.9, 0.2, 0.4."""


def is_bandit(label):
    """Whether it looks for the arm that does best against arm 0."""
    return ALL[label].name == "naive" or ALL[label].parameters.get("variant") == "argmax"


def decided_soon(label):
    return BANDIT if is_bandit(label) else ORDER


def make(label):
    return catalogue()[ALL[label].name](**ALL[label].parameters)


def literal(label):
    """The module of ``duelbench.literal`` with the transcription."""
    return importlib.import_module("duelbench.literal." + type(make(label)).__module__.rpartition(".")[2])


def with_long_requests(algorithm):
    """Return a mistaken algorithm: its requests are a fifth too long."""

    class LongRequests(type(algorithm)):
        def start(self, arms, horizon):
            state = super().start(arms, horizon)
            return state._replace(sizes=np.ceil(1.2 * state.sizes).astype(np.int64))

    return with_the_loop_of_its_base(LongRequests)(**algorithm.model_dump())


def with_long_matches(algorithm):
    """Return a mistaken algorithm: two arms duel about a fifth too often."""

    class LongMatches(type(algorithm)):
        def start(self, arms, horizon):
            state = super().start(arms, horizon)
            if "duels" in state._fields:
                return state._replace(duels=state.duels * 6 // 5)
            state.cursor[0].epsilon *= 0.9
            return state._replace(final_epsilon=0.9 * state.final_epsilon)

    return with_the_loop_of_its_base(LongMatches)(**algorithm.model_dump())


def with_the_loop_of_its_base(kind):
    """Return a class that starts with states of the type that its base has, so that no loop is compiled for it."""
    kind.start.__module__ = kind.__base__.__module__
    return kind


def literal_path(label, matrix, horizon, seed):
    """Return the arms of each round and the declaration of the transcription."""
    environment, policy = streams(seed, 0)
    explore = literal(label).explore(matrix.P, horizon, policy, environment, **ALL[label].parameters)
    return course(explore, horizon, asked_once_more=not make(label).uses_horizon)


def same(ours, theirs):
    return np.array_equal(ours[0], theirs[0]) and ours[1] == theirs[1]


def whole(algorithm, matrix, horizon, seed, **how):
    """Play a run with a single checkpoint, its end; return the duels and the declaration."""
    tables = regret_table(matrix, "copeland")[None]
    return simulate(algorithm, matrix.P, tables, np.array([horizon]), *streams(seed, 0), **how)


def good_enough(label, matrix):
    """The arms that a run may declare."""
    name, parameters, _ = ALL[label]
    epsilon = parameters.get("epsilon", 0.0) + 1e-9
    if is_bandit(label):
        scores = np.append(-1, matrix.P[1:, 0])
    elif name in ("wrapped", "borda-elimination", "secs", "active-ranking") or parameters.get("variant") == "borda":
        scores = matrix.borda_scores()
    elif name not in ("if", "btm", "btm-pac", "pl-pac") and parameters.get("variant") != "condorcet":
        scores = matrix.copeland_scores()
    elif matrix.condorcet_winner() is not None:
        scores = matrix.P[:, matrix.condorcet_winner()]
    else:
        scores = np.zeros(matrix.arms)  # without the winner that they assume, any arm may come out
    return set(np.flatnonzero(scores >= scores.max() - epsilon).tolist())
