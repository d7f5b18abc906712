"""The table that drives the tests of the catalogue (test_catalogue.py). A new algorithm adds rows here and no file."""

from tests.instances import DECISIVE
from tests.order_rows import ROWS as ORDERING
from tests.regret_rows import ROWS as MINIMIZING
from tests.rows import LOSER_WINS, TIED, Line, Row, Runs, everywhere, to_the_winner, wider

# A label is the name of an algorithm or begins with it. Each parameter set reaches code that the others do not; the
# reference implementation plays its rounds in a few hundredths of a second.

BANDITS = ("two arms, clear", "bandit")
"""Instances on which the best opponent of arm 0 is clear."""
SAMPLED = {"independence": "sampled", "delta": 0.5, "steps": 20}

ELIMINATION = {
    "if": Row("if", {}, (everywhere(4000), to_the_winner()), (wider("interleaved_filter_radius"),)),
    "pbr": Row("pbr", {}, (everywhere(3000), to_the_winner()), (wider("pbr_radius"),)),
    "pbr, ties": Row(
        "pbr", {}, (Runs(TIED, 3000, 2),), (Line("pbr", "w[j][i] += 1 - share", "w[j][i] += 1 - math.ceil(share)"),)
    ),
    "rankel": Row(
        "rankel", {}, (everywhere(2000), to_the_winner()), (wider("rankel_radius"), {"until": "sole-winner"})
    ),
    "rankel, sole winner": Row("rankel", {"until": "sole-winner"}, (everywhere(2000), to_the_winner())),
    "uniform-exploration": Row(
        "uniform-exploration",
        {},
        (everywhere(3000), to_the_winner()),
        (Line("uniform_exploration", "return math.sqrt(", "return 1.05 * math.sqrt("),),
    ),
    "wrapped": Row("wrapped", {"delta": 0.5}, (everywhere(1500), to_the_winner()), ({"delta": 0.3}, LOSER_WINS)),
    "wrapped, ucb": Row("wrapped", {"delta": 0.5, "rule": "ucb"}, (everywhere(400), to_the_winner(1000, 1))),
    "wrapped, uniform": Row("wrapped", {"delta": 0.5, "rule": "uniform"}, (to_the_winner(),)),
    "naive": Row("naive", {"delta": 0.5}, (everywhere(1500), Runs(BANDITS, 3000, 2)), ({"delta": 0.3},)),
    "naive, ucb": Row("naive", {"delta": 0.5, "rule": "ucb"}, (everywhere(400), Runs(BANDITS, 1000))),
    "naive, uniform": Row(
        "naive", {"delta": 0.5, "rule": "uniform"}, (everywhere(1500), Runs(BANDITS, 3000, 2)), ({"delta": 0.3},)
    ),
    "savage": Row("savage", {}, (everywhere(1000), to_the_winner()), (wider("savage_radius"),)),
    "savage, epsilon": Row("savage", {"delta": 0.5, "epsilon": 0.34}, (everywhere(1000), to_the_winner())),
    "savage, condorcet": Row(
        "savage", {"variant": "condorcet"}, (everywhere(1000), to_the_winner()), (wider("savage_radius"),)
    ),
    "savage, condorcet, epsilon": Row(
        "savage", {"variant": "condorcet", "delta": 0.5, "epsilon": 0.2}, (everywhere(1000), to_the_winner())
    ),
    "savage, borda": Row("savage", {"variant": "borda", "delta": 0.9}, (everywhere(700), to_the_winner())),
    "savage, borda, epsilon": Row(
        "savage",
        {"variant": "borda", "delta": 0.5, "epsilon": 0.2},
        (everywhere(700), to_the_winner()),
        (wider("savage_radius"),),
    ),
    "savage, argmax": Row(
        "savage", {"variant": "argmax", "delta": 0.5}, (everywhere(1000), Runs(BANDITS, 3000, 2)), ({"delta": 0.4},)
    ),
    "savage, argmax, epsilon": Row(
        "savage", {"variant": "argmax", "delta": 0.5, "epsilon": 0.2}, (everywhere(1000), Runs(BANDITS, 3000, 2))
    ),
    "savage, sampled": Row(
        "savage",
        {**SAMPLED, "starts": 3},
        (everywhere(150), to_the_winner(3000, 1)),
        ({"starts": 4}, {"steps": 21}, wider("savage_radius")),
    ),
    "savage, borda, sampled": Row(
        "savage", {**SAMPLED, "variant": "borda", "starts": 3}, (everywhere(150), to_the_winner(1500, 1))
    ),
    "savage, argmax, sampled": Row(
        "savage", {**SAMPLED, "variant": "argmax"}, (everywhere(300), Runs(BANDITS, 3000)), ({"steps": 21},)
    ),
    "btm": Row("btm", {"confidence_scale": 1.0}, (everywhere(1000), to_the_winner())),
    "btm, usual": Row("btm", {}, (everywhere(1500), Runs(("two arms, clear",), 20_000))),
    "btm, eager": Row(
        "btm",
        {"confidence_scale": 0.3, "gamma": 1.0},
        (everywhere(1000), to_the_winner()),
        ({"confidence_scale": 0.36}, {"gamma": 1.1}, {"variant": "komiyama"}),
    ),
    "btm, eager, gamma": Row("btm", {"confidence_scale": 0.2}, (everywhere(1000), to_the_winner())),
    "btm, rash": Row("btm", {"confidence_scale": 0.01, "gamma": 1.0}, (everywhere(300), to_the_winner(300, 5))),
    "btm, komiyama": Row(
        "btm",
        {"confidence_scale": 0.3, "gamma": 1.0, "variant": "komiyama"},
        (everywhere(1000), to_the_winner()),
        ({"variant": "paper"},),
    ),
    "btm, komiyama, rash": Row(
        "btm", {"confidence_scale": 1e-20, "variant": "komiyama"}, (everywhere(300), to_the_winner(300, 5))
    ),
    "bcb": Row(
        "bcb",
        {},
        (everywhere(1000), Runs(("one clear winner",), 12_000)),
        (
            Line("bcb", "s[x] += K * o", "s[x] += o"),
            Line("bcb", "s[x] += K * o", "s[y] += K * o"),
            Line("bcb", "width = 2 *", "width = 2.04 *"),
            Line("bcb", "2 * K * horizon", "2 * horizon"),
            Line("bcb", "b[best] - width > b[i] + width", "b[best] > b[i] + width"),
        ),
    ),
    "bcb, delta": Row(
        "bcb", {"delta": 0.9}, (Runs(("order", "one clear winner"), 10_000), Runs(("two arms, clear",), 1500))
    ),
}
FEW = ("cyclic4", "order of 9", "two arms, clear")
BATCHED = {
    f"{name}{', ' * bool(label)}{label}": Row(
        name,
        parameters,
        (everywhere(3000), Runs(FEW, 6000, 2), Runs(("certain cycle", "three winners"), 2000, 8)),
        mistakes if name in wrong else (),
    )
    for name in ("pcomp", "scomp", "scomp2")
    for label, parameters, wrong, mistakes in (
        ("", {}, ("pcomp",), (LOSER_WINS,)),
        ("kl", {"elimination": "kl"}, ("scomp2",), ({"delta": 0.001},)),
        ("kl, few batches", {"elimination": "kl", "batches": 5}, (), ()),
        ("delta", {"delta": 0.2, "batches": 9}, ("pcomp",), ({"delta": 0.1}, {"batches": 10})),
        ("kl, delta", {"delta": 0.2, "batches": 12, "elimination": "kl"}, ("scomp",), ({"delta": 0.1},)),
        ("few batches", {"delta": 0.5, "batches": 2}, (), ()),
        ("many batches", {"delta": 0.5, "batches": 40}, (), ()),
    )
}

SMALL_GAPS = Line("compare_radius", "return math.sqrt(math.log(4 * n**2", "return 1.1 * math.sqrt(math.log(4 * n**2")
IDENTIFICATION = {
    "knockout": Row(
        "knockout",
        {},
        (everywhere(1000), to_the_winner(1500), Runs(("order of 16",), 1500)),
        ({"delta": 0.11}, {"epsilon": 0.06}, SMALL_GAPS, LOSER_WINS),
    ),
    "knockout, rash": Row(
        "knockout",
        {"epsilon": 0.3, "delta": 0.4, "gamma": 1.3},
        (everywhere(1000), to_the_winner(1500), Runs(("order of 16",), 1500)),
        ({"gamma": 1.4},),
    ),
    "sequential-elimination": Row(
        "sequential-elimination",
        {},
        (everywhere(1000), to_the_winner(1500)),
        ({"delta": 0.11}, {"epsilon": 0.06}, SMALL_GAPS),
    ),
    "sequential-elimination, rash": Row(
        "sequential-elimination", {"epsilon": 0.3, "delta": 0.5}, (everywhere(1000), to_the_winner(1500))
    ),
    "opt-maximize": Row("opt-maximize", {}, (everywhere(1000), to_the_winner(1500)), (SMALL_GAPS,)),
    "opt-maximize, rash": Row(
        "opt-maximize",
        {"epsilon": 0.45, "delta": 0.9},
        (everywhere(1000), to_the_winner(1500), Runs(("order of 120",), 6000, 2)),
        ({"delta": 0.8}, {"epsilon": 0.4}),
    ),
    "mallows-mpi": Row(
        "mallows-mpi",
        {},
        (everywhere(1000), to_the_winner(1500)),
        ({"delta": 0.06}, wider("mallows_mpi_radius", "1.1"), LOSER_WINS),
    ),
    "mallows-mpi, rash": Row("mallows-mpi", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500))),
    "seebs": Row(
        "seebs",
        {},
        (everywhere(1000), to_the_winner(1500)),
        (
            {"delta": 0.06},
            Line("radius_of_di", "return math.sqrt(math.log(math.pi", "return 1.1 * math.sqrt(math.log(math.pi"),
        ),
    ),
    # At a gap of 0 the tests of a tournament reach their limit, at 0.04 the tests of the pivot in the first stages.
    "seebs, rash": Row(
        "seebs", {"delta": 0.95}, (everywhere(1000), to_the_winner(1500), Runs(("no difference", "small gaps"), 60_000))
    ),
    "select": Row(
        "select",
        {"gap": 0.2},
        (everywhere(800), to_the_winner(1000)),
        (Line("duels_for", "return math.ceil(", "return 1 + math.ceil("),),
    ),
    "select, early stop": Row("select", {"gap": 0.2, "early_stop": True}, (everywhere(800), to_the_winner(1000, 3))),
    "select, even": Row(
        "select",
        {"duels_per_pair": 2},
        (everywhere(100), Runs(DECISIVE, 100, 5)),
        (Line("match", "w >= n / 2", "w > n / 2"),),
    ),
    "select, budget": Row("select", {"budget": 200}, (everywhere(300), to_the_winner(300)), ({"budget": 230},)),
    "nts": Row(
        "nts",
        {"h": 0.1},
        (everywhere(1000), to_the_winner(1500, 3), Runs(("order of 16",), 1500)),
        (Line("limit", "return math.ceil(", "return 1 + math.ceil("), {"alpha": 0.04}),
    ),
    "nts, rash": Row("nts", {"h": 0.3, "alpha": 0.4, "beta": 0.5}, (everywhere(300), to_the_winner(300, 5))),
    "select-then-verify": Row(
        "select-then-verify",
        {"h": 0.2, "beta": 0.1},
        (everywhere(1000), to_the_winner(1500, 3)),
        (
            Line("limit", "return math.ceil(", "return 1 + math.ceil("),
            Line("duels_for", "return math.ceil(", "return 1 + math.ceil("),
        ),
    ),
    "dkwt": Row(
        "dkwt",
        {"delta": 0.5},
        (everywhere(4000), to_the_winner(4000)),
        (Line("duels_of_step", "math.log(4 / gamma)", "math.log(4.08 / gamma)"),),
    ),
    "dkwt, reuse": Row(
        "dkwt",
        {"delta": 0.9, "reuse": True},
        (everywhere(4000), to_the_winner(4000)),
        (Line("duels_of_step", "math.log(4 / gamma)", "math.log(4.08 / gamma)"),),
    ),
    "pocowista": Row(
        "pocowista",
        {},
        (everywhere(1500), to_the_winner(2500)),
        (
            Line("log_density", "return math.log(a + b + 1)", "return 0.1 + math.log(a + b + 1)"),
            Line("next_pair", "i = max(order, key=pot.get)", "i = max(order, key=co.get)"),
        ),
    ),
    "pocowista, two outcomes": Row(
        "pocowista", {"delta": 0.5, "outcomes": 2}, (everywhere(1500), to_the_winner(2500)), ({"outcomes": 3},)
    ),
    "pocowista, ties": Row(
        "pocowista",
        {"delta": 0.5},
        (Runs(TIED, 1500, 3),),
        (Line("ppr", "[:0:-1]", "[::-2]"),),
    ),
    "tra-pocowista, ties": Row(
        "tra-pocowista",
        {"delta": 0.5},
        (Runs(TIED, 1500, 3),),
        (
            Line("close", "max(score[x, y], score[y, z])", "min(score[x, y], score[y, z])"),
            Line("close", ">= 0.5", "> 0.5"),
            Line("outcome", "chance < win + tie", "chance < win + tie / 2"),
        ),
    ),
    "tra-pocowista": Row(
        "tra-pocowista",
        {"delta": 0.2},
        (everywhere(1500), to_the_winner(1500)),
        (Line("tra_pocowista", "close(score)", "pass"),),
    ),
    "parwis": Row(
        "parwis",
        {"budget": 130},
        (everywhere(150), Runs(DECISIVE, 150)),
        (
            Line("disruption", "(pi[top] * d1 + pi[j] * d2)", "(pi[j] * d1 + pi[top] * d2)"),
            Line("parwis", "w[:K, K] = w[K, :K] = 1", "w[:K, K], w[K, :K] = 1, 3"),
        ),
    ),
    "parwis, random top": Row("parwis", {"budget": 90, "pairs": "random-top"}, (everywhere(100), Runs(DECISIVE, 100))),
    "parwis, top two": Row("parwis", {"budget": 90, "pairs": "top-two"}, (everywhere(100), Runs(DECISIVE, 100))),
    "trace-the-best": Row(
        "trace-the-best", {"epsilon": 0.2}, (everywhere(4000), to_the_winner(4000)), (LOSER_WINS, {"epsilon": 0.19})
    ),
    "divide-and-battle": Row(
        "divide-and-battle", {"epsilon": 0.5}, (everywhere(4000), to_the_winner(4000)), (LOSER_WINS, {"delta": 0.11})
    ),
    "halving-battle": Row(
        "halving-battle",
        {"epsilon": 0.4, "delta": 0.5},
        (everywhere(4000), to_the_winner(4000)),
        (LOSER_WINS, {"delta": 0.45}),
    ),
    "halving-battle, ties": Row(
        "halving-battle", {"epsilon": 0.5, "delta": 0.99}, (everywhere(4000), to_the_winner(4000))
    ),
    "pl-pac": Row(
        "pl-pac", {"delta": 0.3}, (everywhere(1500), to_the_winner()), ({"variant": "heckel"}, wider("pl_pac_radius"))
    ),
    "pl-pac, one left": Row("pl-pac", {"epsilon": 0.0}, (everywhere(1500), to_the_winner(3000, 3))),
    "pl-pac, heckel": Row(
        "pl-pac", {"epsilon": 0.0, "delta": 0.7, "variant": "heckel"}, (everywhere(1500), to_the_winner())
    ),
    "borda-elimination": Row(
        "borda-elimination",
        {"delta": 0.9},
        (everywhere(1500), to_the_winner()),
        (Line("borda_elimination_radius", "* math.sqrt(2", "* 1.2 * math.sqrt(2"),),
    ),
    "secs": Row("secs", {"sparsity": 1}, (everywhere(700), to_the_winner(1500)), (wider("secs_radius"),)),
    "secs, gate": Row(
        "secs",
        {"sparsity": 2, "gate": 50, "constant": 0.1},
        (everywhere(700), to_the_winner(1500)),
        ({"sparsity": 3}, {"gate": 60}),
    ),
    "active-ranking": Row("active-ranking", {}, (everywhere(1500), to_the_winner()), ({"radius": "experiments"},)),
    "active-ranking, experiments": Row(
        "active-ranking",
        {"delta": 0.7, "radius": "experiments"},
        (everywhere(1500), to_the_winner()),
        ({"radius": "paper"}, Line("threshold", "return 2 * math.sqrt(0.5", "return 2.4 * math.sqrt(0.5")),
    ),
    "active-ranking, tiers": Row(
        "active-ranking",
        {"delta": 0.9, "radius": "program", "tiers": (2, 1)},
        (everywhere(1500), to_the_winner(3000, 2), Runs(("order of 9",), 5000)),
        (
            {"tiers": (1, 2)},
            Line("active_ranking", "above[-1]", "above[0]"),
            Line("active_ranking", "below[0]", "below[-1]"),
            Line("active_ranking", "size - len(tier)", "size"),
        ),
        fewest=3,
    ),
    "active-ranking, order": Row(
        "active-ranking",
        {"delta": 0.9, "radius": "program", "tiers": "order"},
        (everywhere(1500), to_the_winner(), Runs(("order of 9",), 10_000)),
        ({"radius": "paper"},),
    ),
    "explore-verify": Row(
        "explore-verify",
        {"delta": 0.5},
        (everywhere(700), to_the_winner(), Runs(("winner of a circle", "order of 3"), 5000)),
        ({"delta": 0.025}, Line("interval", "radius = math.sqrt", "radius = 1.2 * math.sqrt")),
    ),
    "explore-verify, rash": Row(
        "explore-verify", {"delta": 0.9}, (Runs(("winner of a circle", "order of 3"), 5000, 2),), ({"delta": 0.045},)
    ),
    "btm-pac": Row("btm-pac", {"delta": 0.5}, (everywhere(1000), Runs(("two arms, clear",), 12_000))),
    # Equal arms have enough duels in the end; clearly worse arms are dropped.
    "btm-pac, slack": Row(
        "btm-pac",
        {"epsilon": 0.5, "delta": 0.99},
        (everywhere(1000), to_the_winner(), Runs(("two equal arms", "order of 3"), 5000)),
        ({"self_duels": False}, Line("btm_pac_radius", "return 3 * gamma**2", "return 3.3 * gamma**2")),
    ),
    "btm-pac, no self-duels": Row(
        "btm-pac",
        {"epsilon": 0.5, "delta": 0.99, "self_duels": False},
        (everywhere(1000), to_the_winner(), Runs(("two equal arms", "order of 3"), 5000)),
        ({"self_duels": True}, {"gamma": 1.05}),
    ),
    "btm-pac, heckel": Row(
        "btm-pac",
        {"delta": 0.7, "variant": "heckel"},
        (everywhere(1000), to_the_winner()),
        ({"delta": 0.71}, {"variant": "paper"}),
    ),
}
LATER_FIT = Line("due", "last // 20)", "1 + last // 20)")
CORRELATION = Line("share_above", "- 2 * C[i, j]", "- C[i, j]")
SHORTEST = Line("first_largest", "key(each) > key(best) * (1 + 1e-6)", "key(each) < key(best) * (1 - 1e-6)")
ACTIVE_SAMPLING = {
    "doubt": Row(
        "doubt",
        {},
        (everywhere(200), Runs(("order",), 300)),
        (LATER_FIT, CORRELATION, Line("order_doubt", "return min(share", "return max(share")),
    ),
    "doubt, ghosts": Row("doubt", {"ghosts": 4.0}, (Runs(DECISIVE, 100),), ({"ghosts": 5.0},)),
    "gap-variance": Row(
        "gap-variance",
        {},
        (everywhere(200), Runs(("order",), 300)),
        (
            *(LATER_FIT, CORRELATION),
            Line("gap_variance", "v = p * (1 - p)", "v = p"),
            Line("gap_variance", "weight[k] * v", "v"),
            Line("gap_variance", "doubt(g, C, *gap) / ", "1 / "),
            Line("gap_variance", " / (1 + v * variance)", ""),
            Line("gap_variance", "- (a[k] @ C)[None, :]", "+ (a[k] @ C)[None, :]"),
            Line("gap_variance", "ranked = by_strength(g, order)", "ranked = by_strength(g, range(K))"),
        ),
    ),
    "gap-variance, ghosts": Row("gap-variance", {"ghosts": 4.0}, (Runs(DECISIVE, 100),), ({"ghosts": 5.0},)),
    "swiss": Row(
        "swiss",
        {},
        (everywhere(300), to_the_winner(300)),
        (
            Line("swiss", "-sum(w[arm])", "sum(w[arm])"),
            Line("swiss", "arms[:m], arms[m:]", "arms[K - m :], arms[: K - m]"),
        ),
    ),
    "repeated-sort": Row(
        "repeated-sort",
        {},
        (everywhere(300), to_the_winner(300), Runs(("order of 16",), 500)),
        ({"sort": "quick"}, Line("merge_sort", "(len(arms) + 1) // 2", "len(arms) // 2")),
    ),
    "repeated-sort, quick": Row(
        "repeated-sort",
        {"sort": "quick"},
        (everywhere(300), to_the_winner(300), Runs(("order of 16",), 500)),
        (Line("quicksort", "winners if beats(arm, pivot) else losers", "losers if beats(arm, pivot) else winners"),),
    ),
    # If all outcomes are reversed, the algorithms below ask for the same pairs: test_active_sampling.py tests who wins.
    "arena-pairs": Row(
        "arena-pairs",
        {},
        (everywhere(300), to_the_winner(300)),
        (
            Line("weight", "(w[i][j] + 1) / (n + 2)", "(w[i][j] + 1) / (n + 3)"),
            Line("weight", "v = p * (1 - p)", "v = 1"),
            Line("weight", "math.sqrt(v / (n + 1))", "math.sqrt(v / (n + 2))"),
        ),
    ),
    "crowd-bt": Row(
        "crowd-bt",
        {},
        (everywhere(60), Runs(("order",), 200), Runs(("two arms, clear",), 500)),
        (
            {"prior_variance": 1.1},
            Line("after", "mu[loser] -= now[loser]", "mu[loser] -= now[winner]"),
            Line("after", "max(1 - now[arm] * p * (1 - p), 1e-4)", "(1 - 0.1 * now[arm])"),
            Line("gain", "* (1 - 2 * p) / 2", "* (1 - 2 * p)"),
            Line("crowd_bt_divergence", "- np.log(v / v0)", "- np.log(v0 / v)"),
        ),
    ),
    "crowd-bt, prior": Row(
        "crowd-bt", {"prior_variance": 8.0}, (everywhere(60),), (Line("after", "* (1 - p), 1e-4", "* (1 - p), 0.5"),)
    ),
    "hybrid-mst": Row(
        "hybrid-mst",
        {},
        (everywhere(60), to_the_winner(80)),
        (
            Line("hybrid_mst", "0.5 * (1 - np.eye(K))", "0.4 * (1 - np.eye(K))"),
            Line("hybrid_mst_gains", "- 2 * C", "- C"),
            Line("hybrid_mst_gains", "np.sqrt(2 * ", "np.sqrt(1 * "),
            Line("hybrid_mst", "K * (K - 1) // 2", "K * (K - 1)"),
            SHORTEST,
        ),
    ),
    "asap": Row(
        "asap",
        {},
        (everywhere(60), to_the_winner(80)),
        (
            *({"mode": "pair"}, {"approximate": False}, SHORTEST),
            Line("asap", "precision, none, 6)", "precision, none, 5)"),
            Line("after_one_message", "square = 2 + variance", "square = 1 + variance"),
            Line("asap_gains", "max(p * won + (1 - p) * lost, 1e-13)", "max(p * lost + (1 - p) * won, 1e-13)"),
        ),
    ),
    "asap, pair": Row("asap", {"mode": "pair"}, (everywhere(40), Runs(("order",), 80)), ({"approximate": False},)),
    "asap, full": Row(
        "asap",
        {"approximate": False},
        (Runs(("six-rankers", "cyclic4", "two arms", "one winner, the rest tied", "order"), 40),),
        (Line("after_sweeps", "precision, more, 4)", "precision, more, 3)"),),
    ),
}
ROWS = ELIMINATION | BATCHED | IDENTIFICATION | ORDERING | ACTIVE_SAMPLING | MINIMIZING
