"""What the data behind figures 4 to 6 of Heckel et al., *Active Ranking*, Annals of Statistics 2019, say."""

from __future__ import annotations

from duelbench.analysis.reproduction.counts import always_right, as_many, wrong_as_often
from duelbench.analysis.reproduction.estimates import Mean
from duelbench.analysis.reproduction.measures import Measure
from duelbench.analysis.reproduction.orders import equal_counts
from duelbench.analysis.reproduction.stated import Figure, Paper, Statement

_GAPS, _ARMS, _SHARES = "fig-heckel-4b", "fig-heckel-5a", "fig-heckel-6"
_STEPS = ("0.06", "0.12", "0.18", "0.24", "0.3", "0.36", "0.42", "0.48", "0.54")
_THEIR_RUNS = "The paper's own runs limit the comparison: no number of our runs can decide it."
_ALL = ("Active ranking", "PLPAC", "BTM")


def _by_step(label: str, stated: dict[str, float]) -> Measure:
    return as_many(_GAPS, label, "BTL-step={}", stated, within=1.1, runs=200)


def _by_arms(label: str, *stated: float) -> Measure:
    known = dict(zip(("10", "20", "30", "40", "50", "60"), stated, strict=True))
    return as_many(_ARMS, label, "K={}", known, within=1.15, runs=100)


def _by_share(label: str, within: float, *stated: float) -> Measure:
    known = dict(zip(("0", "0.11", "0.31"), stated, strict=True))
    return wrong_as_often(_SHARES, label, "BTL-share={}", known, runs=500, within=within)


PAPER = Paper(
    "Heckel, Shah, Ramchandran, Wainwright. Active Ranking from Pairwise Comparisons and When Parametric Assumptions "
    "Do Not Help. Annals of Statistics 2019",
    (
        Figure(
            _GAPS,
            "Fig. 4(b): duels against the step of log scores, BTL, K = 10 (published, the data behind it)",
            (
                Statement(
                    "active ranking: 129830, 33815, 17087, 11915, 9528, 8322, 7284, 6918, 6412",
                    _by_step(
                        "Active ranking",
                        dict(
                            zip(
                                _STEPS,
                                (129_830, 33_815, 17_087, 11_915, 9528, 8322, 7284, 6918, 6412),
                                strict=True,
                            )
                        ),
                    ),
                    _THEIR_RUNS,
                ),
                Statement(
                    "PLPAC, with half of its counts in the radius: 19942, 6954, 2356",
                    _by_step("PLPAC", {"0.18": 19_942, "0.3": 6954, "0.54": 2356}),
                ),
                Statement(
                    "BTM, with a radius of their own: 31740, 11425, 3845",
                    _by_step("BTM", {"0.18": 31_740, "0.3": 11_425, "0.54": 3845}),
                ),
                Statement(
                    "all are right",
                    always_right(_GAPS, *_ALL, datasets=tuple(f"BTL-step={step}" for step in _STEPS), at_most=0.01),
                ),
            ),
        ),
        Figure(
            _ARMS,
            "Fig. 5(a): duels against the number of arms, BTL (published, the data behind it)",
            (
                Statement(
                    "active ranking: 13118, 75377, 212450, 442185, 744118, 1154280",
                    _by_arms("Active ranking", 13_118, 75_377, 212_450, 442_185, 744_118, 1_154_280),
                    _THEIR_RUNS,
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
                Statement("PLPAC: 0, 0.42, 0.67", _by_share("PLPAC", 0.1, 0, 0.42, 0.67), _THEIR_RUNS),
                Statement("BTM: 0, 0.37, 0.66", _by_share("BTM", 0.1, 0, 0.37, 0.66), _THEIR_RUNS),
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
