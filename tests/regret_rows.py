"""The rows of the catalogue's table for algorithms that minimize regret: see catalogue.py and rows.py."""

from tests.rows import Row, Runs, Stated, everywhere

MSLR = "mslr5-condorcet"
TIES = ("sushi16", "hudry13")
CONFIDENCE = {
    "rucb": Row("rucb", {}, (everywhere(1000), Runs(("fifty arms",), 300))),
    "rucb, eager": Row("rucb", {"alpha": 0.05}, (everywhere(1000), Runs(("fifty arms",), 300))),
    "ccb": Row(
        "ccb", {}, (everywhere(800), Runs(("sushi16", MSLR), 500), Runs(("fifty arms",), 100)), late=((7, 0.9),)
    ),
    "ccb, eager": Row(
        "ccb",
        {"alpha": 0.05},
        (
            Runs(("mslr5-non-condorcet", "three winners"), 1200),
            Runs(("tennis8", "random10"), 800),
            Runs(("fifty arms",), 100),
        ),
    ),
    "ccb, cautious": Row("ccb", {"alpha": 1.3}, (everywhere(500),)),
    "scb": Row("scb", {}, (everywhere(4000), Runs(("certain order", "sushi16"), 4000)), late=((7, 0.9),)),
    "scb, experiments": Row("scb", {"alpha": 0.51}, (everywhere(3000), Runs(("certain order",), 3000))),
    "scb, long first round": Row(
        "scb", {"alpha": 0.51, "first_round": 1000}, (everywhere(3000), Runs(("certain order",), 3000))
    ),
}
ODD = {"alpha": 1.3, "f_scale": 0.7, "f_power": 0.9}
LISTS = (*TIES, "two arms, close", MSLR)
DIVERGENCE = {
    "rmed1": Row("rmed1", {}, (everywhere(500),)),
    "rmed1, no f": Row("rmed1", {"f_scale": 0.0}, (everywhere(500),)),
    "rmed2": Row("rmed2", {}, (everywhere(500), Runs(LISTS, 500))),
    "rmed2, odd": Row("rmed2", ODD, (everywhere(500),)),
    "rmed2fh": Row("rmed2fh", {}, (everywhere(500), Runs(LISTS, 500))),
    "rmed2fh, few passes": Row("rmed2fh", {"alpha": 0.5}, (Runs(("random10", "cyclic4"), 600),)),
    "rmed2fh, odd": Row("rmed2fh", ODD, (everywhere(500),)),
    # With α = 3, every pair needs about nine duels before anything else happens.
    "ecw-rmed": Row(
        "ecw-rmed",
        {},
        (everywhere(700), Runs(("cyclic4",), 2000), Runs((MSLR, "two arms, close"), 500), Runs(("sushi16",), 1300)),
    ),
    "ecw-rmed, odd": Row("ecw-rmed", {"alpha": 1.2, "beta": 0.05}, (everywhere(500), Runs(TIES, 300))),
    "ecw-rmed, no beta": Row("ecw-rmed", {"alpha": 2.0, "beta": 0.0}, (Runs(("mslr5-non-condorcet", "cyclic4"), 700),)),
    # Some runs differ because the linear program has several optima.
    "cw-rmed": Row(
        "cw-rmed",
        {},
        (Runs(("six-rankers", "mslr5-non-condorcet", "tennis8"), 250), Runs((MSLR, "two arms, close"), 150)),
    ),
    "cw-rmed, odd": Row(
        "cw-rmed", {"alpha": 1.2, "beta": 0.05}, (Runs(("six-rankers", "mslr5-non-condorcet", "cyclic4"), 250),)
    ),
    "cw-rmed, no beta": Row("cw-rmed", {"alpha": 1.2, "beta": 0.0}, (Runs(("six-rankers",), 350),)),
}
AS_PUBLISHED = 0.8**6
"""α of the experiments with MergeRUCB and MergeDTS."""
NAVIGATIONAL = "mslr-navigational"
THOMPSON = {
    "rcs": Row("rcs", late=((7, 0.9),)),
    "self-sparring": Row(
        "self-sparring",
        {},
        (everywhere(300),),
        # From the slides of the MergeDTS authors: 3113 is from few runs, 2906 from more.
        stated=(Stated(NAVIGATIONAL, ((100_000, 2906, 78),), 8, "condorcet"),),
    ),
    "self-sparring, fast": Row("self-sparring", {"eta": 3.0}, (everywhere(300),)),
}
EXPONENTIAL_WEIGHTS = {
    "dexp3": Row(
        "dexp3",
        {},
        (everywhere(300), Runs(TIES, 50)),
        # From another program with the same steps, 60 runs each.
        stated=(Stated("six-rankers", ((10_000, 586, 5),), 400, "borda", False),),
        late=((2, 0.7), (30, 0.7), (1000, 0.7)),
    ),
    "dexp3, eta": Row("dexp3", {"eta": 0.1}, (everywhere(300),)),
    "dexp3, gamma": Row("dexp3", {"gamma": 0.5}, (everywhere(300),)),
    "dexp3-hp": Row(
        "dexp3-hp",
        {},
        (everywhere(500), Runs(("cyclic4",), 1500)),
        stated=(Stated("six-rankers", ((10_000, 613, 4),), 200, "borda", False),),
        late=((2, 0.7), (1000, 0.7)),
    ),
    "dexp3-hp, delta": Row("dexp3-hp", {"delta": 0.9}, (everywhere(300),)),
    "dexp3-hp, beta": Row("dexp3-hp", {"beta": 0.5, "eta": 0.1}, (everywhere(300),)),
    # With this much exploration, no lead suffices for a hold, so all draws equal the reference implementation's.
    "rex3, gamma": Row("rex3", {"gamma": 0.4}, (everywhere(1000),)),
    "rex3, step": Row("rex3", {"gamma": 0.9, "step": 0.5}, (everywhere(1000),)),
    "rex3": Row("rex3", {"g": 0.03}, (Runs(("six-rankers", "cyclic4", "certain"), 600),)),
    "rex3, adaptive": Row("rex3", {"g": 0.03, "adaptive": True}, (Runs(("six-rankers", "cyclic4", "certain"), 600),)),
    # The paper's figures, read to half a percent; half the step: a simulation of others.
    "rex3, as published": Row("rex3", stated=(Stated("six-rankers", ((217_000, 579, 3),), 75, "condorcet", False),)),
    "sparring-exp3": Row(
        "sparring-exp3",
        {},
        (everywhere(1000),),
        stated=(Stated("six-rankers", ((283_000, 1882, 9),), 50, "condorcet"),),
    ),
    "sparring-exp3, more": Row("sparring-exp3", {"g": 0.1}, (everywhere(1000),)),
    "sparring-exp3, gamma": Row("sparring-exp3", {"gamma": 0.03}, (everywhere(1000),)),
    "sparring-exp3s": Row("sparring-exp3s", {}, (everywhere(1000),)),
    "sparring-exp3s, changes": Row("sparring-exp3s", {"S": 3}, (everywhere(1000),)),
    "sparring-exp3s, slow": Row("sparring-exp3s", {"gamma": 0.03, "alpha": 1e-4}, (everywhere(1000),)),
}
LATE = ((2, 0.9), (30, 0.9), (1000, 0.6))


def versatile(*numbers):
    """Return stated means from 100 runs each of another program with the same steps; standard errors are ours."""
    return (Stated("six-rankers", numbers, 100, "condorcet", False),)


VERSATILE = ("cyclic4", "certain", "two arms", "no difference")
REDUCTIONS = {
    **{
        label: Row(name, parameters, (everywhere(1000), Runs(TIES, 700)))
        for name in ("doubler", "multisbm", "sparring")
        for label, parameters in ((name, {}), (f"{name}, eager", {"alpha": 0.6}))
    },
    # A difference in the last bit of p grows tenfold in a hundred rounds of 1/p, so runs cannot be longer.
    "versatile-db": Row(
        "versatile-db",
        {},
        (everywhere(250), Runs((MSLR, *TIES), 250)),
        stated=versatile((1000, 46.3, 0.9), (10_000, 240, 4.5)),
        late=LATE,
    ),
    "versatile-db, shared": Row(
        "versatile-db",
        {"shared": True},
        (Runs(VERSATILE, 250),),
        versatile((1000, 43.8, 1.1), (10_000, 194, 4.5)),
        LATE,
    ),
    "versatile-db, rv": Row(
        "versatile-db",
        {"estimator": "rv"},
        (Runs(VERSATILE, 250),),
        versatile((1000, 42.3, 0.9), (10_000, 160, 3.2)),
        LATE,
    ),
    "versatile-db, rv, shared": Row(
        "versatile-db", {"estimator": "rv", "shared": True}, (Runs(VERSATILE, 250),), late=LATE
    ),
    "versatile-db, eta": Row("versatile-db", {"eta_scale": 0.7}, (Runs(VERSATILE, 250),)),
}
WEAK, STRONG = "binary-weak", "binary-strong"
STAYS = (everywhere(800), Runs((MSLR, "three winners", *TIES), 800))
WINNER_STAYS = {
    # The first of 2000 runs; Chen and Frazier's Fig. 2a is flat near 100.
    "ws-w": Row(
        "ws-w",
        {},
        STAYS,
        (Stated("order of 50", ((4000, 108.4, 2.2),), 300, WEAK, False),),
    ),
    "ws-s": Row(
        "ws-s",
        {},
        STAYS,
        # 400 runs each; Chen and Frazier's Fig. 3d agrees: it shows 750, 1.7e3, 2.15e3 and 2.8e3, to within 4 %.
        (
            Stated(
                MSLR,
                ((1000, 768, 9.2), (10_000, 1712, 34), (100_000, 2286, 34), (1_000_000, 2854, 34)),
                *(800, STRONG, False),
            ),
        ),
    ),
    # Chen and Frazier's Fig. 6, 205, is 9 % lower.
    "ws-s, beta = 1.05": Row(
        "ws-s",
        {"beta": 1.05},
        stated=(Stated(MSLR, ((1_000_000, 225, 2.5),), 300, "condorcet", False),),
    ),
    "btw": Row(
        "btw",
        {},
        STAYS,
        (Stated("cyclic4", ((1000, 120, 2.5), (10_000, 235, 5), (100_000, 246, 5)), 200, WEAK, False),),
    ),
    "btwr": Row(
        "btwr",
        {},
        STAYS,
        (Stated(MSLR, ((1000, 268, 4), (10_000, 2333, 15)), 400, WEAK, False),),
    ),
    "mbtw": Row(
        "mbtw",
        {},
        STAYS,
        (Stated(MSLR, ((100_000, 243, 18),), 300, WEAK, False),),
    ),
    "wsw-pe": Row(
        "wsw-pe",
        {},
        (*STAYS, Runs(("order",), 2000)),
        (Stated("cyclic4", ((1_000_000, 25.2, 1.8),), 500, WEAK),),
    ),
    "wsw-pe, eager": Row("wsw-pe", {"delta": 0.5}, (Runs(("order", "three winners"), 1500, 3),)),
}
FEW = (MSLR, "two arms", "no difference", "certain", "one winner, the rest tied")
WATCHED = (Runs(FEW, 1000),)
MONITORED = {
    "detect": Row("detect", {"delta": 1.0}, WATCHED),
    "detect, ws-w": Row("detect", {"explore": 40, "window": 6, "threshold": 1.5}, WATCHED),
    "detect, ws-w, short": Row("detect", {"explore": 3, "window": 4, "threshold": 1.0}, WATCHED),
    "detect, btw": Row("detect", {"inner": "btw", "explore": 30, "window": 6, "threshold": 1.0}, WATCHED),
    "detect, btw, log": Row("detect", {"inner": "btw", "form": "log", "p_min": 0.95, "delta": 1.0}, WATCHED),
    "detect, mbtw": Row("detect", {"inner": "mbtw", "explore": 30, "window": 6, "threshold": 1.0}, WATCHED),
    "mdb": Row("mdb", {"M": 3, "delta": 0.9}, WATCHED),
    "mdb, ws-s": Row("mdb", {"window": 6, "threshold": 1.0, "gamma": 0.3}, WATCHED),
    "mdb, ws-s, rarely": Row("mdb", {"window": 10, "threshold": 3.0, "gamma": 0.1, "beta": 1.3}, WATCHED),
    "mdb, ws-s, always": Row("mdb", {"window": 4, "threshold": 1.0, "gamma": 1.0}, WATCHED),
    "mdb, rucb": Row("mdb", {"inner": "rucb", "window": 6, "threshold": 1.5, "gamma": 0.2}, WATCHED),
    "mdb, rucb, transfer": Row(
        "mdb", {"inner": "rucb", "transfer": True, "window": 6, "threshold": 1.5, "gamma": 0.2, "alpha": 0.3}, WATCHED
    ),
}
BATCHES = (Runs(("order of 20", "order of 33", "order of 70"), 1200), everywhere(1000), Runs(("sushi16",), 500))
MERGING = {
    "merge-rucb": Row("merge-rucb", {}, BATCHES),
    "merge-rucb, prior": Row("merge-rucb", {"prior": 1}, BATCHES),
    "merge-rucb, eager": Row("merge-rucb", {"alpha": 0.3, "C": 2.0}, BATCHES),
    # The curves of Li's code, which are within 5 % of those that the MergeDTS authors show.
    "merge-rucb, as published": Row(
        "merge-rucb",
        {"alpha": AS_PUBLISHED, "batch": 8, "C": 1e6, "prior": 1},
        stated=(
            Stated(NAVIGATIONAL, ((100_000, 5800, 25), (200_000, 9652, 45), (500_000, 17544, 160)), 30, "condorcet"),
        ),
    ),
    # From the authors' slides, with the errors of twelve runs; flat after 7.5e5.
    "merge-dts": Row(
        "merge-dts",
        stated=(Stated(NAVIGATIONAL, ((100_000, 5180, 50), (200_000, 8140, 90)), 20, "condorcet"),),
    ),
    "merge-rucb, large batches": Row("merge-rucb", {"alpha": 0.3, "C": 2.0, "batch": 9, "prior": 1}, BATCHES),
}
UNIFORM = {
    "uniform": Row("uniform", {}, (everywhere(1000),)),
    "uniform, round-robin": Row("uniform", {"variant": "round-robin"}, (everywhere(1000),)),
}
ROWS = {
    **CONFIDENCE,
    **DIVERGENCE,
    **THOMPSON,
    **EXPONENTIAL_WEIGHTS,
    **REDUCTIONS,
    **WINNER_STAYS,
    **MONITORED,
    **MERGING,
    **UNIFORM,
}
