"""What papers and their authors' programs count until best arms are declared."""

from __future__ import annotations

from collections.abc import Sequence

from duelbench.analysis.reproduction.declaration_measures import (
    always_right,
    as_many,
    equal_counts,
    named_as_often,
    wrong_as_often,
)
from duelbench.analysis.reproduction.library import Figure, Mean, Measure, Paper, Statement
from duelbench.analysis.reproduction.stated.orders import INDEPENDENT, counted

_TABLE = "fig-nts-1"
_NTS_GAPS = ("0.45", "0.4", "0.35", "0.3", "0.25", "0.2", "0.15", "0.1", "0.05", "0.02")
_NTS_DATASET = "tournament-gap={}"
_DATASETS = tuple(_NTS_DATASET.format(gap) for gap in _NTS_GAPS)
_NTS = (
    *(Mean(887, 4.1), Mean(980, 5.4), Mean(1085, 6.5), Mean(1262, 8.5), Mean(1447, 10.8)),
    *(Mean(1798, 15.6), Mean(2331, 21.8), Mean(3383, 29.3), Mean(6607, 88.6), Mean(14155, 234.6)),
)
_VERIFIED = (21751, 21730, 21707, 21773, 21730, 21832, 21870, 22096, 22544, 23567)
_UNASKED = "which the paper does not mention"


def _votes(label: str, stated: Sequence[float | Mean], plus: float) -> Measure:
    known = dict(zip(_NTS_GAPS, stated, strict=True))
    return as_many(_TABLE, label, _NTS_DATASET, known, within=1.06, runs=100, counted="votes", plus=plus)


NTS = Paper(
    "Haddenhorst, Bengs, Brandt, Hüllermeier. Testification of Condorcet Winners in Dueling Bandits. UAI 2021",
    (
        Figure(
            _TABLE,
            "Table 1 of the supplement: mean duels, K = 20, γ = h = 0.05 (published)",
            (
                Statement(
                    "NTS: 887, 980, 1085, 1262, 1447, 1798, 2331, 3383, 6607, 14155 duels at h' = 0.45 … 0.02; their "
                    f"program has duelled each of the 190 pairs once before, {_UNASKED}: 169 duels more in all, as 21 "
                    "of them are saved later",
                    _votes("NTS", _NTS, 169),
                ),
                Statement(
                    "SELECT-then-verify: 21751, 21730, 21707, 21773, 21730, 21832, 21870, 22096, 22544, 23567 duels; "
                    f"their program duels the 190 pairs before, and SELECT repeats some, {_UNASKED}: its list does not "
                    "shrink, which adds 1.8 pairs of 1,031 duels. Together 2,030 duels more, 169 + 1.8 · 1,031",
                    _votes("SELECT-then-verify", _VERIFIED, 169 + 1.8 * 1031),
                ),
                Statement(
                    "all accuracies are 1.00: both find that there is no Condorcet winner",
                    always_right(_TABLE, "NTS", "SELECT-then-verify", datasets=_DATASETS, at_most=0.005),
                ),
            ),
        ),
    ),
    "The steps of their program that are not in the paper are taken from the program, and from an implementation that "
    "reproduces the table with them. Without these steps ours takes fewer duels by that number, for any h'.",
)


_HECKEL_GAPS, _HECKEL_ARMS, _SHARES = "fig-heckel-4b", "fig-heckel-5a", "fig-heckel-6"
_STEPS = ("0.06", "0.12", "0.18", "0.24", "0.3", "0.36", "0.42", "0.48", "0.54")
_HECKEL_THEIR_RUNS = "The paper's own runs limit the comparison: no number of our runs can decide it."
_HECKEL_ALL = ("Active ranking", "PLPAC", "BTM")


def _by_step(label: str, *stated: float) -> Measure:
    known = dict(zip(_STEPS if len(stated) == len(_STEPS) else ("0.18", "0.3", "0.54"), stated, strict=True))
    return as_many(_HECKEL_GAPS, label, "BTL-step={}", known, within=1.1, runs=200)


def _by_arms(label: str, *stated: float) -> Measure:
    known = dict(zip(("10", "20", "30", "40", "50", "60"), stated, strict=True))
    return as_many(_HECKEL_ARMS, label, "K={}", known, within=1.15, runs=100)


def _by_share(label: str, within: float, *stated: float) -> Measure:
    known = dict(zip(("0", "0.11", "0.31"), stated, strict=True))
    return wrong_as_often(_SHARES, label, "BTL-share={}", known, runs=500, within=within)


HECKEL = Paper(
    "Heckel, Shah, Ramchandran, Wainwright. Active Ranking from Pairwise Comparisons and When Parametric Assumptions "
    "Do Not Help. Annals of Statistics 2019",
    (
        Figure(
            _HECKEL_GAPS,
            "Fig. 4(b): duels against the step of log scores, BTL, K = 10 (published, the data behind it)",
            (
                Statement(
                    "active ranking: 129830, 33815, 17087, 11915, 9528, 8322, 7284, 6918, 6412",
                    _by_step("Active ranking", 129_830, 33_815, 17_087, 11_915, 9528, 8322, 7284, 6918, 6412),
                    _HECKEL_THEIR_RUNS,
                ),
                Statement(
                    "PLPAC, with half of its counts in the radius: 19942, 6954, 2356",
                    _by_step("PLPAC", 19_942, 6954, 2356),
                ),
                Statement(
                    "BTM, with a radius of their own: 31740, 11425, 3845",
                    _by_step("BTM", 31_740, 11_425, 3845),
                ),
                Statement(
                    "all are right",
                    always_right(
                        _HECKEL_GAPS, *_HECKEL_ALL, datasets=tuple(f"BTL-step={step}" for step in _STEPS), at_most=0.01
                    ),
                ),
            ),
        ),
        Figure(
            _HECKEL_ARMS,
            "Fig. 5(a): duels against the number of arms, BTL (published, the data behind it)",
            (
                Statement(
                    "active ranking: 13118, 75377, 212450, 442185, 744118, 1154280",
                    _by_arms("Active ranking", 13_118, 75_377, 212_450, 442_185, 744_118, 1_154_280),
                    _HECKEL_THEIR_RUNS,
                ),
                Statement(
                    "PLPAC: 11046, 62922, 173112, 353096, 574392, 950258",
                    _by_arms("PLPAC", 11_046, 62_922, 173_112, 353_096, 574_392, 950_258),
                ),
                Statement(
                    "BTM: 17678, 97308, 257428, 503129, 857237, 1356410",
                    _by_arms("BTM", 17_678, 97_308, 257_428, 503_129, 857_237, 1_356_410),
                ),
            ),
        ),
        Figure(
            _SHARES,
            "Fig. 6: failures where a share q of the pairs is not BTL, q = 0, 0.11, 0.31 (published, the data behind "
            "it)",
            (
                Statement(
                    "active ranking: 0.002, 0.002, 0.004", _by_share("Active ranking", 0.02, 0.002, 0.002, 0.004)
                ),
                Statement("PLPAC: 0, 0.42, 0.67", _by_share("PLPAC", 0.1, 0, 0.42, 0.67), _HECKEL_THEIR_RUNS),
                Statement("BTM: 0, 0.37, 0.66", _by_share("BTM", 0.1, 0, 0.37, 0.66), _HECKEL_THEIR_RUNS),
            ),
        ),
        Figure(
            "",
            "Duels to the best 3 of 10 arms, BTL (their program for tiers, run again; `fig-top-1`)",
            (
                Statement(
                    "active ranking with the radius of that program: 7042",
                    equal_counts("fig-top-1", "Active ranking program", {"BTL-step=0.3": Mean(7042, 350)}),
                ),
            ),
        ),
    ),
    "Of PLPAC and BTM these are figures of the authors' program, not of the papers that propose them: it takes half of "
    "PLPAC's counts in its radius, in the belief that they were counted twice, so that its curves are twice too high "
    "(`PLPAC, all counts` in Fig. 4(b) is right as often), and a radius for BTM that no proof covers. The printed "
    "errors of 200, 100 and, as we take it from their multiples of 0.002, 500 runs are taken as ours would be.",
)


_MAXING_FIGURE = "fig-maxing-1"
_MAXING_DATASET = "flat order-arms={}"
_MAXING_ARMS = ("10", "16", "50")
_TOP = "fig-top-1"
_PLACES = {"0.6": "flat-arms=10", "BTL": "BTL-step=0.3"}


def _counted(label: str, within: float, *stated: Mean) -> Statement:
    known = dict(zip(_MAXING_ARMS, stated, strict=False))
    words = ", ".join(f"{mean.value:.0f}" for mean in stated)
    return Statement(
        f"{label}: {words} duels" + ("" if len(stated) == 3 else " (K = 10)"),
        as_many(_MAXING_FIGURE, label, _MAXING_DATASET, known, within=within),
    )


def _best_three(label: str, flat: Mean, btl: Mean | None = None) -> Statement:
    return counted(_TOP, label, _PLACES, {"0.6": flat} if btl is None else {"0.6": flat, "BTL": btl})


MAXING = Paper(
    "Ren, Liu, Shroff. The Sample Complexity of Best-k Items Selection from Pairwise Comparisons. ICML 2020",
    (
        Figure(
            _MAXING_FIGURE,
            "Duels to the best arm, P[i, j] = 0.6 for i < j, K = 10, 16, 50 (their program, run again; not printed)",
            (
                _counted("Knockout", 1.04, Mean(6717, 52), Mean(11_109, 62), Mean(36_909, 115)),
                _counted("Sequential elimination", 1.06, Mean(7545, 106), Mean(11_983, 130), Mean(35_870, 175)),
                _counted("Mallows-MPI", 1.04, Mean(8664, 59), Mean(14_800, 82), Mean(51_166, 144)),
                _counted("SEEBS", 1.02, Mean(79_145, 241)),
                Statement(
                    "all are right",
                    always_right(
                        _MAXING_FIGURE,
                        "Knockout",
                        "Sequential elimination",
                        "Mallows-MPI",
                        "SEEBS",
                        "Opt-maximize",
                        datasets=tuple(_MAXING_DATASET.format(arms) for arms in _MAXING_ARMS),
                        at_most=0.005,
                    ),
                ),
            ),
        ),
        Figure(
            "",
            f"The same, of an independent reference implementation (ours, no paper's; `{_MAXING_FIGURE}`)",
            (
                Statement(
                    "Opt-maximize, which does not compare its anchor with itself: 17154 (K = 16) and 45670 (K = 50) "
                    "duels; Ren's program does, and takes 22313 and 53138",
                    as_many(
                        _MAXING_FIGURE,
                        "Opt-maximize",
                        _MAXING_DATASET,
                        {"16": Mean(17_154, 286), "50": Mean(45_670, 299)},
                        within=1.06,
                    ),
                    "Opt-maximize: that implementation goes through the arms in the order of the matrix in the last "
                    "step, and the best is the first: it spares the tests of the others before it. In random order, "
                    "which the paper asks for, duels are a tenth more.",
                ),
                Statement(
                    "SEEBS: 131619 (K = 16) and 432337 (K = 50) duels",
                    as_many(
                        _MAXING_FIGURE,
                        "SEEBS",
                        _MAXING_DATASET,
                        {"16": Mean(131_619, 307), "50": Mean(432_337, 511)},
                        within=1.02,
                    ),
                ),
            ),
        ),
        Figure(
            _TOP,
            "Duels to the best 3 of 10 arms, P[i, j] = 0.6 for i < j (their program, run again; not printed)",
            (
                _best_three("EQS", Mean(18_222, 299)),
                _best_three("TKS", Mean(22_746, 218)),
                _best_three("SEEKS", Mean(144_809, 440)),
            ),
        ),
        Figure(
            "",
            f"The same, and BTL {INDEPENDENT}; `{_TOP}`",
            (
                _best_three("EQS", Mean(17_765, 306), Mean(12_146, 199)),
                _best_three("TKS", Mean(23_157, 209), Mean(15_551, 180)),
                _best_three("SEEKS", Mean(144_842, 559), Mean(71_614, 384)),
                _best_three("SEEKS-EQS", Mean(128_696, 746), Mean(66_431, 359)),
                _best_three("PBR-Copeland", Mean(49_498, 167), Mean(17_285, 147)),
                _best_three("Active ranking", Mean(1_102_595, 11_998), Mean(119_034, 1461)),
                _best_three("Active ranking program", Mean(62_512, 1396), Mean(7047, 165)),
                Statement(
                    "all are right",
                    always_right(
                        _TOP,
                        *("EQS", "TKS", "SEEKS", "SEEKS-EQS", "PBR-Copeland"),
                        *("Active ranking", "Active ranking program"),
                        datasets=tuple(_PLACES.values()),
                        at_most=0.03,
                    ),
                ),
            ),
        ),
    ),
    "The algorithms are from Falahatgar et al. (ICML and NeurIPS 2017), Busa-Fekete et al. (ICML 2014) and the paper; "
    "the same program counts the duels of all. If an algorithm takes arms in an arbitrary order, ours is random.",
)


_DKWT_FIGURE = "fig-dkwt-1"
_DKWT_THEIR_RUNS = "The runs of their program limit the comparison: no number of our runs can decide it."
_FIVE, _TEN = "five arms-h={}", "ten arms-h={}"
_DKWT_ALL = tuple(dataset.format(h) for dataset in (_FIVE, _TEN) for h in ("0.2", "0.15", "0.1", "0.05"))
_NOT_SHRINKING = (
    "SELECT: the list of arms in their program does not shrink, so that arms that are out are paired again: 567 and "
    "9005 are 10.7 pairs of 53 and 840 duels. A bracket of ten arms has nine, which is what ours takes."
)


def _dkwt(text: str, label: str, dataset: str, stated: dict[str, Mean], within: float, *why: str) -> Statement:
    """Return a statement on duels; DKWT's are multiplied by K / (K − 1), as their program decides a pair twice."""
    twice = {_FIVE: 5 / 4, _TEN: 10 / 9}[dataset] if label == "DKWT" else 1.0
    return Statement(text, as_many(_DKWT_FIGURE, label, dataset, stated, within=within, factor=twice), *why)


DKWT = Paper(
    "Haddenhorst, Bengs, Hüllermeier. Identification of the Generalized Condorcet Winner in Multi-dueling Bandits. "
    "NeurIPS 2021",
    (
        Figure(
            _DKWT_FIGURE,
            "Duels against the least |P[i, j] − P[j, i]| = h, δ = 0.05 (their program, run again; not printed)",
            (
                _dkwt(
                    "DKWT, K = 5, h = 0.2, 0.15, 0.1: 6567, 8590, 15374 duels; their program decides the last pair "
                    "twice, K pairs for K − 1, so ours is multiplied by 5/4",
                    "DKWT",
                    _FIVE,
                    {"0.2": Mean(6567, 103), "0.15": Mean(8590, 141), "0.1": Mean(15_374, 400)},
                    1.15,
                    _DKWT_THEIR_RUNS,
                ),
                _dkwt(
                    "K = 10, h = 0.2, 0.15, 0.1: 14365, 18560, 31665, ours times 10/9",
                    "DKWT",
                    _TEN,
                    {"0.2": Mean(14_365, 149), "0.15": Mean(18_560, 205), "0.1": Mean(31_665, 584)},
                    1.15,
                ),
                _dkwt(
                    "h = 0.05, where few runs have most of the duels: 34763 for K = 5",
                    "DKWT",
                    _FIVE,
                    {"0.05": Mean(34_763, 1441)},
                    1.2,
                    _DKWT_THEIR_RUNS,
                ),
                _dkwt("and 76011 for K = 10", "DKWT", _TEN, {"0.05": Mean(76_011, 1917)}, 1.2),
                Statement(
                    "DKWT is always right", always_right(_DKWT_FIGURE, "DKWT", datasets=_DKWT_ALL, at_most=0.005)
                ),
                _dkwt(
                    "SEEBS, K = 5, h = 0.2, 0.1: 7690, 20980 duels (100 runs)",
                    "SEEBS",
                    _FIVE,
                    {"0.2": Mean(7690, 400), "0.1": Mean(20_980, 1501)},
                    1.25,
                    _DKWT_THEIR_RUNS,
                ),
                _dkwt(
                    "SEEBS, K = 10, h = 0.2: 17250 duels (100 runs)", "SEEBS", _TEN, {"0.2": Mean(17_250, 585)}, 1.25
                ),
                _dkwt(
                    "SELECT with h as its gap: 567 duels for K = 10, h = 0.2",
                    "SELECT, gap 0.2",
                    _TEN,
                    {"0.2": Mean(567, 0)},
                    1.02,
                    _NOT_SHRINKING,
                ),
                Statement(
                    "and is wrong in 2.1 % of the runs",
                    wrong_as_often(_DKWT_FIGURE, "SELECT, gap 0.2", _TEN, {"0.2": 0.021}, runs=1000, within=0.03),
                ),
                _dkwt(
                    "SELECT, K = 10, h = 0.05: 9005 duels",
                    "SELECT, gap 0.05",
                    _TEN,
                    {"0.05": Mean(9005, 0)},
                    1.02,
                    _NOT_SHRINKING,
                ),
                Statement(
                    "and is wrong in 0.9 % of the runs",
                    wrong_as_often(_DKWT_FIGURE, "SELECT, gap 0.05", _TEN, {"0.05": 0.009}, runs=1000, within=0.03),
                ),
            ),
        ),
    ),
    "Only the abstract of the paper was available to us; the numbers are from the authors' program, with 1,000 "
    "matrices each. It gives SELECT the difference h as its gap, which is half of that: hence its errors.",
)


_POCOWISTA_FIGURE = "fig-pocowista-1"
_POCOWISTA_ALL = (
    "easy-arms=10",
    "easy-arms=20",
    "medium-arms=20",
    "easy, Condorcet-arms=20",
    "medium, Condorcet-arms=20",
)


def _until_declared(label: str, stated: dict[str, Mean], within: float) -> Measure:
    return as_many(_POCOWISTA_FIGURE, label, "{}", stated, within=within)


POCOWISTA = Paper(
    "Bengs, Haddenhorst, Hüllermeier. Identifying Copeland Winners in Dueling Bandits with Indifferences. AISTATS 2024",
    (
        Figure(
            _POCOWISTA_FIGURE,
            "Duels until a Copeland winner is declared, δ = 0.05 (their program, run again; not printed)",
            (
                Statement(
                    "POCOWISTA: 2439, 13521, 76258 and, with a Condorcet winner, 3548 duels",
                    _until_declared(
                        "POCOWISTA",
                        {
                            "easy-arms=10": Mean(2439, 62),
                            "easy-arms=20": Mean(13_521, 281),
                            "medium-arms=20": Mean(76_258, 2027),
                            "easy, Condorcet-arms=20": Mean(3548, 70),
                        },
                        1.12,
                    ),
                ),
                Statement(
                    "and is always right",
                    always_right(_POCOWISTA_FIGURE, "POCOWISTA", datasets=_POCOWISTA_ALL, at_most=0.005),
                ),
                Statement(
                    "SELECT, with a Condorcet winner and the gap 0.1: 2725 duels",
                    _until_declared("SELECT, gap 0.1", {"easy, Condorcet-arms=20": Mean(2725, 10)}, 1.02),
                ),
                Statement(
                    "DKWT judged by all duels, with a Condorcet winner: 25479 duels",
                    _until_declared("DKWT, all duels", {"easy, Condorcet-arms=20": Mean(25_479, 584)}, 1.1),
                    "The runs of their program limit the comparison: no number of our runs can decide it.",
                ),
            ),
        ),
        Figure(
            "",
            f"The same, of an independent reference implementation (ours, no paper's; `{_POCOWISTA_FIGURE}`)",
            (
                Statement(
                    "POCOWISTA, medium, with a Condorcet winner: 19344 duels",
                    _until_declared("POCOWISTA", {"medium, Condorcet-arms=20": Mean(19_344, 230)}, 1.06),
                ),
                Statement(
                    "DKWT, fresh duels, with a Condorcet winner: 25147 (easy) and 96118 (medium)",
                    _until_declared(
                        "DKWT",
                        {"easy, Condorcet-arms=20": Mean(25_147, 232), "medium, Condorcet-arms=20": Mean(96_118, 1295)},
                        1.1,
                    ),
                ),
                Statement(
                    "SELECT, gap 0.05, medium: 13657 duels",
                    _until_declared("SELECT, gap 0.05", {"medium, Condorcet-arms=20": Mean(13_657, 7)}, 1.02),
                ),
            ),
        ),
    ),
    "Only the abstract of the paper was available to us. Its program takes arms in the order of the matrix, ours in a "
    "random order; on matrices whose pairs are identically distributed, so are the results of the two.",
)


_PARWIS_FIGURE = "fig-parwis-1"
_BUDGETS = tuple(range(10, 90, 10))
_PARWIS = (0.238, 0.331, 0.395, 0.432, 0.451, 0.489, 0.520, 0.550)
_SELECT = (0.259, 0.266, 0.375, 0.353, 0.408, 0.427, 0.469, 0.484)

PARWIS = Paper(
    "Sheth, Rajkumar. PARWiS: Winner Determination from Active Pairwise Comparisons under a Shoestring Budget. "
    "ICDM 2021",
    (
        Figure(
            _PARWIS_FIGURE,
            "How often the best of ten arms is named (their program, run again; 3,000 runs)",
            (
                Statement(
                    "PARWiS, after K, 2K, … 8K votes: 23.8, 33.1, 39.5, 43.2, 45.1, 48.9, 52.0, 55.0 %",
                    named_as_often(
                        _PARWIS_FIGURE,
                        {f"{votes}": right for votes, right in zip(_BUDGETS, _PARWIS, strict=True)},
                        {f"{votes}": ("PARWiS", votes) for votes in _BUDGETS},
                        runs=3000,
                        within=0.05,
                    ),
                    "Their program takes arms in the order of the scores, ours in a random one, which matters most "
                    "while each arm has been in one or two duels.",
                ),
                Statement(
                    "SELECT, with 1, 2, … 8 duels a pair: 25.9, 26.6, 37.5, 35.3, 40.8, 42.7, 46.9, 48.4 %",
                    named_as_often(
                        _PARWIS_FIGURE,
                        {f"{m}": right for m, right in zip(range(1, 9), _SELECT, strict=True)},
                        {f"{m}": (f"SELECT-duels_per_pair={m}", 80) for m in range(1, 9)},
                        runs=3000,
                        within=0.05,
                    ),
                    "An even number of duels may end in a tie, which the two break differently.",
                ),
            ),
        ),
    ),
    "Only the abstract of the paper was available to us. The authors' program takes arms in the order of the scores, "
    "ours in a random order.",
)
