"""The table that drives the tests of the catalogue (test_catalogue.py). A new algorithm only needs rows here."""

from tests.instances import DECISIVE
from tests.order_rows import ROWS as ORDERING
from tests.regret_rows import ROWS as MINIMIZING
from tests.rows import TIED, Row, Runs, everywhere, to_the_winner

# A label is the name of an algorithm or begins with it. Each parameter set reaches code that the others do not; the
# reference implementation plays its rounds in a few hundredths of a second.

BANDITS = ("two arms, clear", "bandit")
"""Instances on which the best opponent of arm 0 is clear."""
SAMPLED = {"independence": "sampled", "delta": 0.5, "steps": 20}

ELIMINATION = {
    "if": Row("if", {}, (everywhere(4000), to_the_winner())),
    "pbr": Row("pbr", {}, (everywhere(3000), to_the_winner())),
    "pbr, ties": Row("pbr", {}, (Runs(TIED, 3000, 2),)),
    "rankel": Row("rankel", {}, (everywhere(2000), to_the_winner())),
    "rankel, sole winner": Row("rankel", {"until": "sole-winner"}, (everywhere(2000), to_the_winner())),
    "uniform-exploration": Row("uniform-exploration", {}, (everywhere(3000), to_the_winner())),
    "wrapped": Row("wrapped", {"delta": 0.5}, (everywhere(1500), to_the_winner())),
    "wrapped, ucb": Row("wrapped", {"delta": 0.5, "rule": "ucb"}, (everywhere(400), to_the_winner(1000, 1))),
    "wrapped, uniform": Row("wrapped", {"delta": 0.5, "rule": "uniform"}, (to_the_winner(),)),
    "naive": Row("naive", {"delta": 0.5}, (everywhere(1500), Runs(BANDITS, 3000, 2))),
    "naive, ucb": Row("naive", {"delta": 0.5, "rule": "ucb"}, (everywhere(400), Runs(BANDITS, 1000))),
    "naive, uniform": Row("naive", {"delta": 0.5, "rule": "uniform"}, (everywhere(1500), Runs(BANDITS, 3000, 2))),
    "savage": Row("savage", {}, (everywhere(1000), to_the_winner())),
    "savage, epsilon": Row("savage", {"delta": 0.5, "epsilon": 0.34}, (everywhere(1000), to_the_winner())),
    "savage, condorcet": Row("savage", {"variant": "condorcet"}, (everywhere(1000), to_the_winner())),
    "savage, condorcet, epsilon": Row(
        "savage", {"variant": "condorcet", "delta": 0.5, "epsilon": 0.2}, (everywhere(1000), to_the_winner())
    ),
    "savage, borda": Row("savage", {"variant": "borda", "delta": 0.9}, (everywhere(700), to_the_winner())),
    "savage, borda, epsilon": Row(
        "savage", {"variant": "borda", "delta": 0.5, "epsilon": 0.2}, (everywhere(700), to_the_winner())
    ),
    "savage, argmax": Row("savage", {"variant": "argmax", "delta": 0.5}, (everywhere(1000), Runs(BANDITS, 3000, 2))),
    "savage, argmax, epsilon": Row(
        "savage", {"variant": "argmax", "delta": 0.5, "epsilon": 0.2}, (everywhere(1000), Runs(BANDITS, 3000, 2))
    ),
    "savage, sampled": Row("savage", {**SAMPLED, "starts": 3}, (everywhere(150), to_the_winner(3000, 1))),
    "savage, borda, sampled": Row(
        "savage", {**SAMPLED, "variant": "borda", "starts": 3}, (everywhere(150), to_the_winner(1500, 1))
    ),
    "savage, argmax, sampled": Row("savage", {**SAMPLED, "variant": "argmax"}, (everywhere(300), Runs(BANDITS, 3000))),
    "btm": Row("btm", {"confidence_scale": 1.0}, (everywhere(1000), to_the_winner())),
    "btm, usual": Row("btm", {}, (everywhere(1500), Runs(("two arms, clear",), 20_000))),
    "btm, eager": Row("btm", {"confidence_scale": 0.3, "gamma": 1.0}, (everywhere(1000), to_the_winner())),
    "btm, eager, gamma": Row("btm", {"confidence_scale": 0.2}, (everywhere(1000), to_the_winner())),
    "btm, rash": Row("btm", {"confidence_scale": 0.01, "gamma": 1.0}, (everywhere(300), to_the_winner(300, 5))),
    "btm, komiyama": Row(
        "btm", {"confidence_scale": 0.3, "gamma": 1.0, "variant": "komiyama"}, (everywhere(1000), to_the_winner())
    ),
    "btm, komiyama, rash": Row(
        "btm", {"confidence_scale": 1e-20, "variant": "komiyama"}, (everywhere(300), to_the_winner(300, 5))
    ),
    "bcb": Row("bcb", {}, (everywhere(1000), Runs(("one clear winner",), 12_000))),
    "bcb, delta": Row(
        "bcb", {"delta": 0.9}, (Runs(("order", "one clear winner"), 10_000), Runs(("two arms, clear",), 1500))
    ),
}
FEW = ("cyclic4", "order of 9", "two arms, clear")
BATCHED = {
    f"{name}{', ' * bool(label)}{label}": Row(
        name, parameters, (everywhere(3000), Runs(FEW, 6000, 2), Runs(("certain cycle", "three winners"), 2000, 8))
    )
    for name in ("pcomp", "scomp", "scomp2")
    for label, parameters in (
        ("", {}),
        ("kl, few batches", {"elimination": "kl", "batches": 5}),
        ("delta", {"delta": 0.2, "batches": 9}),
        ("kl, delta", {"delta": 0.2, "batches": 12, "elimination": "kl"}),
        ("few batches", {"delta": 0.5, "batches": 2}),
        ("many batches", {"delta": 0.5, "batches": 40}),
    )
}

IDENTIFICATION = {
    "knockout": Row("knockout", {}, (everywhere(1000), to_the_winner(1500), Runs(("order of 16",), 1500))),
    "knockout, rash": Row(
        "knockout",
        {"epsilon": 0.3, "delta": 0.4, "gamma": 1.3},
        (everywhere(1000), to_the_winner(1500), Runs(("order of 16",), 1500)),
    ),
    "sequential-elimination": Row("sequential-elimination", {}, (everywhere(1000), to_the_winner(1500))),
    "sequential-elimination, rash": Row(
        "sequential-elimination", {"epsilon": 0.3, "delta": 0.5}, (everywhere(1000), to_the_winner(1500))
    ),
    "opt-maximize": Row("opt-maximize", {}, (everywhere(1000), to_the_winner(1500))),
    "opt-maximize, rash": Row(
        "opt-maximize",
        {"epsilon": 0.45, "delta": 0.9},
        (everywhere(1000), to_the_winner(1500), Runs(("order of 120",), 6000, 2)),
    ),
    "mallows-mpi": Row("mallows-mpi", {}, (everywhere(1000), to_the_winner(1500))),
    "mallows-mpi, rash": Row("mallows-mpi", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500))),
    "seebs": Row("seebs", {}, (everywhere(1000), to_the_winner(1500))),
    # With a gap of 0, the tests of a tournament reach their limit; with 0.04, the pivot's tests do in the first stages.
    "seebs, rash": Row(
        "seebs", {"delta": 0.95}, (everywhere(1000), to_the_winner(1500), Runs(("no difference", "small gaps"), 60_000))
    ),
    "select": Row("select", {"gap": 0.2}, (everywhere(800), to_the_winner(1000))),
    "select, early stop": Row("select", {"gap": 0.2, "early_stop": True}, (everywhere(800), to_the_winner(1000, 3))),
    "select, even": Row("select", {"duels_per_pair": 2}, (everywhere(100), Runs(DECISIVE, 100, 5))),
    "select, budget": Row("select", {"budget": 200}, (everywhere(300), to_the_winner(300))),
    "nts": Row("nts", {"h": 0.1}, (everywhere(1000), to_the_winner(1500, 3), Runs(("order of 16",), 1500))),
    "nts, rash": Row("nts", {"h": 0.3, "alpha": 0.4, "beta": 0.5}, (everywhere(300), to_the_winner(300, 5))),
    "select-then-verify": Row(
        "select-then-verify", {"h": 0.2, "beta": 0.1}, (everywhere(1000), to_the_winner(1500, 3))
    ),
    "dkwt": Row("dkwt", {"delta": 0.5}, (everywhere(4000), to_the_winner(4000))),
    "dkwt, reuse": Row("dkwt", {"delta": 0.9, "reuse": True}, (everywhere(4000), to_the_winner(4000))),
    "pocowista": Row("pocowista", {}, (everywhere(1500), to_the_winner(2500))),
    "pocowista, two outcomes": Row("pocowista", {"delta": 0.5, "outcomes": 2}, (everywhere(1500), to_the_winner(2500))),
    "pocowista, ties": Row("pocowista", {"delta": 0.5}, (Runs(TIED, 1500, 3),)),
    "tra-pocowista, ties": Row("tra-pocowista", {"delta": 0.5}, (Runs(TIED, 1500, 3),)),
    "tra-pocowista": Row("tra-pocowista", {"delta": 0.2}, (everywhere(1500), to_the_winner(1500))),
    "parwis": Row("parwis", {"budget": 130}, (everywhere(150), Runs(DECISIVE, 150))),
    "parwis, random top": Row("parwis", {"budget": 90, "pairs": "random-top"}, (everywhere(100), Runs(DECISIVE, 100))),
    "parwis, top two": Row("parwis", {"budget": 90, "pairs": "top-two"}, (everywhere(100), Runs(DECISIVE, 100))),
    "trace-the-best": Row("trace-the-best", {"epsilon": 0.2}, (everywhere(4000), to_the_winner(4000))),
    "divide-and-battle": Row("divide-and-battle", {"epsilon": 0.5}, (everywhere(4000), to_the_winner(4000))),
    "halving-battle": Row("halving-battle", {"epsilon": 0.4, "delta": 0.5}, (everywhere(4000), to_the_winner(4000))),
    "halving-battle, ties": Row(
        "halving-battle", {"epsilon": 0.5, "delta": 0.99}, (everywhere(4000), to_the_winner(4000))
    ),
    "pl-pac": Row("pl-pac", {"delta": 0.3}, (everywhere(1500), to_the_winner())),
    "pl-pac, one left": Row("pl-pac", {"epsilon": 0.0}, (everywhere(1500), to_the_winner(3000, 3))),
    "pl-pac, heckel": Row(
        "pl-pac", {"epsilon": 0.0, "delta": 0.7, "variant": "heckel"}, (everywhere(1500), to_the_winner())
    ),
    "borda-elimination": Row("borda-elimination", {"delta": 0.9}, (everywhere(1500), to_the_winner())),
    "secs": Row("secs", {"sparsity": 1}, (everywhere(700), to_the_winner(1500))),
    "secs, gate": Row("secs", {"sparsity": 2, "gate": 50, "constant": 0.1}, (everywhere(700), to_the_winner(1500))),
    "active-ranking": Row("active-ranking", {}, (everywhere(1500), to_the_winner())),
    "active-ranking, experiments": Row(
        "active-ranking", {"delta": 0.7, "radius": "experiments"}, (everywhere(1500), to_the_winner())
    ),
    "active-ranking, tiers": Row(
        "active-ranking",
        {"delta": 0.9, "radius": "program", "tiers": (2, 1)},
        (everywhere(1500), to_the_winner(3000, 2), Runs(("order of 9",), 5000)),
        fewest=3,
    ),
    "active-ranking, order": Row(
        "active-ranking",
        {"delta": 0.9, "radius": "program", "tiers": "order"},
        (everywhere(1500), to_the_winner(), Runs(("order of 9",), 10_000)),
    ),
    "explore-verify": Row(
        "explore-verify",
        {"delta": 0.5},
        (everywhere(700), to_the_winner(), Runs(("winner of a circle", "order of 3"), 5000)),
    ),
    "explore-verify, rash": Row(
        "explore-verify", {"delta": 0.9}, (Runs(("winner of a circle", "order of 3"), 5000, 2),)
    ),
    "btm-pac": Row("btm-pac", {"delta": 0.5}, (everywhere(1000), Runs(("two arms, clear",), 12_000))),
    # Equal arms have enough duels in the end; clearly worse arms are dropped.
    "btm-pac, slack": Row(
        "btm-pac",
        {"epsilon": 0.5, "delta": 0.99},
        (everywhere(1000), to_the_winner(), Runs(("two equal arms", "order of 3"), 5000)),
    ),
    "btm-pac, no self-duels": Row(
        "btm-pac",
        {"epsilon": 0.5, "delta": 0.99, "self_duels": False},
        (everywhere(1000), to_the_winner(), Runs(("two equal arms", "order of 3"), 5000)),
    ),
    "btm-pac, heckel": Row("btm-pac", {"delta": 0.7, "variant": "heckel"}, (everywhere(1000), to_the_winner())),
}
ACTIVE_SAMPLING = {
    "doubt": Row("doubt", {}, (everywhere(200), Runs(("order",), 300))),
    "doubt, ghosts": Row("doubt", {"ghosts": 4.0}, (Runs(DECISIVE, 100),)),
    "gap-variance": Row("gap-variance", {}, (everywhere(200), Runs(("order",), 300))),
    "gap-variance, ghosts": Row("gap-variance", {"ghosts": 4.0}, (Runs(DECISIVE, 100),)),
    "swiss": Row("swiss", {}, (everywhere(300), to_the_winner(300))),
    "repeated-sort": Row("repeated-sort", {}, (everywhere(300), to_the_winner(300), Runs(("order of 16",), 500))),
    "repeated-sort, quick": Row(
        "repeated-sort", {"sort": "quick"}, (everywhere(300), to_the_winner(300), Runs(("order of 16",), 500))
    ),
    # The algorithms below ask for the same pairs if all outcomes are reversed. test_active_sampling.py tests that they
    # recommend the right arm.
    "arena-pairs": Row("arena-pairs", {}, (everywhere(300), to_the_winner(300))),
    "crowd-bt": Row("crowd-bt", {}, (everywhere(60), Runs(("order",), 200), Runs(("two arms, clear",), 500))),
    "crowd-bt, prior": Row("crowd-bt", {"prior_variance": 8.0}, (everywhere(60),)),
    "hybrid-mst": Row("hybrid-mst", {}, (everywhere(60), to_the_winner(80))),
    "asap": Row("asap", {}, (everywhere(60), to_the_winner(80))),
    "asap, pair": Row("asap", {"mode": "pair"}, (everywhere(40), Runs(("order",), 80))),
    "asap, full": Row(
        "asap",
        {"approximate": False},
        (Runs(("six-rankers", "cyclic4", "two arms", "one winner, the rest tied", "order"), 40),),
    ),
}
ROWS = ELIMINATION | BATCHED | IDENTIFICATION | ORDERING | ACTIVE_SAMPLING | MINIMIZING
