"""What is stated in Gajane, Urvoy & Clérot, *A Relative Exponential Weighing Algorithm …*, ICML 2015."""

from __future__ import annotations

from duelbench.analysis.reproduction.measures import as_read, lower, ordered
from duelbench.analysis.reproduction.stated import Figure, Paper, Statement

_ARXIV, _MSLR, _ARMS, _GAP = "fig-rex3-arxiv", "fig-rex3-mslr", "fig-rex3-arms", "fig-rex3-vanishing"
_READ, _FEW, _BY_EYE = 1.05, 1.1, 1.15
_SIZE = "mslr-navigational-size={}"
_READINGS = (
    "The numbers are those of the figures' lines, which are vectors, to half a percent. Each has the error of the "
    "paper's own 50 runs (100 of what does not know T), one standard error of which is up to 1.3 % on six rankers and "
    "more where there are 136: agreement is up to 5 %, and up to 10 % for long runs on MSLR, for RUCB, and for random "
    "rankers, but 30 % where these are four. *Settled*: that REX3 is played with the whole step of the code in the "
    "supplement; with that of the pseudo-code, ψ/(2p), regret is 1.8 times as large. The adaptive one uses γ_t on the "
    "whole sum of gains. Their matrix of six rankers has 0.56 where ours has 0.55. "
    "The numbers of Fig. 8 are read by eye, to 8 %, and are of bandit regret, twice the Condorcet regret: agreement is "
    "up to 15 %. "
    "Not tested: MSLR beyond T = 1e7, Sparring + EXP3 beyond 2.3e6, and the figures on matrices that are not at hand."
)


def _at(horizon: float, readings: dict[float, float]) -> dict[float, float]:
    """Return readings at rounds as readings at shares of the horizon."""
    return {t / horizon: read for t, read in readings.items()}


def _said(label: str, readings: dict[float, float]) -> str:
    words = ", ".join(f"{read:,.0f} at {t:.3g}" for t, read in readings.items())
    return f"{label}: {words}".replace("e+0", "e")


def _six(label: str, readings: dict[float, float], within: float = _READ) -> Statement:
    return Statement(_said(label, readings), as_read(_ARXIV, label, _at(1e8, readings), within))


def _all(label: str, readings: dict[float, float]) -> Statement:
    return Statement(_said(label, readings), as_read(_MSLR, label, _at(1.02e7, readings), _FEW))


_FEW_ARMS = (
    "Unexplained for K = 4; for K = 19 the paper's own 50 runs, with a standard error of 2 %, limit the comparison. "
    "The text at hand does not say how the rankers were drawn, and where there are many the numbers agree. With γ "
    "for all 136 it would be 542 and 1,032 for K = 4 and 19, but too little for K = 34 (1,361) and 65 (1,949); with "
    "the best of the 136 always among them 307 and 997."
)
_READ_BY_EYE = (
    "The values of RUCB and REX3 are read by eye, to 8 %, which exceeds the distance to the limit of agreement."
)


def _of(arms: int, label: str, read: float, within: float = _FEW, otherwise: str = "") -> Statement:
    measure = as_read(_ARMS, label, {1.0: read}, within, dataset=_SIZE.format(arms))
    return Statement(f"{label} with K = {arms}: {read:,.0f}", measure, otherwise)


def _vanishing(label: str, bandit: float, otherwise: str = "") -> Statement:
    measure = as_read(_GAP, label, {1.0: bandit / 2}, _BY_EYE)
    return Statement(f"{label}: {bandit:,.0f} at 1e7, half of which is Condorcet regret", measure, otherwise)


PAPER = Paper(
    "Gajane, Urvoy, Clérot. A Relative Exponential Weighing Algorithm for Adversarial Utility-based Dueling Bandits. "
    "ICML 2015",
    (
        Figure(
            _ARXIV,
            "Condorcet regret on six rankers",
            (
                _six("REX3", {2.17e5: 579, 8.08e5: 1071, 2.3e6: 1781, 6.59e6: 2944, 1.88e7: 4959, 1e8: 11170}),
                _six("REX3, g = 0.1", {8.08e5: 765, 2.3e6: 1275, 6.59e6: 2113, 1e8: 8240}),
                _six("adaptive", {1.55e6: 528, 3.97e6: 781, 1.02e7: 1185, 1e8: 3480}),
                _six("Sparring", {2.83e5: 1882, 8.08e5: 3070, 2.3e6: 5113}),
                _six("RUCB", {8.1e4: 551, 6.8e5: 634, 5.7e6: 732, 9.5e7: 850}, _FEW),
                Statement(
                    "at T = 2.3e6 REX3 has less regret than Sparring + EXP3, with g = 1/10 less, and adaptive still "
                    "less",
                    ordered(_ARXIV, "adaptive", "REX3, g = 0.1", "REX3", "Sparring", share=2.3e-2),
                ),
                Statement(
                    "at T = 1e8 RUCB has less than all of them",
                    lower(_ARXIV, "RUCB", "adaptive", "REX3, g = 0.1", "REX3", "Uniform"),
                ),
            ),
        ),
        Figure(
            _MSLR,
            "Condorcet regret on MSLR navigational, K = 136",
            (
                _all("REX3", {1e5: 3170, 8.08e5: 10080, 2.31e6: 16520}),
                _all("adaptive", {1e5: 3180, 1.55e6: 10290, 1.02e7: 20380}),
                _all("Sparring", {1e5: 5080, 6.2e5: 19100}),
                _all("RUCB", {1.09e6: 76100, 6.35e6: 226000}),
                Statement(
                    "at T = 1e7 adaptive REX3 has less regret than with γ for T, and RUCB far more than both",
                    ordered(_MSLR, "adaptive", "REX3", "RUCB", "Uniform"),
                ),
            ),
        ),
        Figure(
            _ARMS,
            "Fig. 3, right: K rankers of MSLR navigational, T = 1e5",
            (
                _of(4, "REX3", 450, 1.3, _FEW_ARMS),
                _of(19, "REX3", 1100, _FEW, _FEW_ARMS),
                *(_of(K, "REX3", read) for K, read in ((34, 1540), (50, 1890), (65, 2190), (95, 2670))),
                _of(136, "REX3", 3170, _READ),
                _of(136, "adaptive", 3180, _READ),
                _of(136, "Sparring", 5080, _READ),
                _of(136, "RUCB", 9530, _READ),
                _of(136, "SAVAGE", 10400, _READ),
                _of(136, "Uniform", 10400, _READ),
                Statement(
                    "with K = 136 REX3 has less regret than Sparring + EXP3, that less than RUCB, and RUCB less than "
                    "uniform exploration",
                    ordered(_ARMS, "REX3", "Sparring", "RUCB", "Uniform", dataset=_SIZE.format(136)),
                ),
            ),
        ),
        Figure(
            _GAP,
            "Fig. 8 of the extended version: a gap that vanishes, K = 10",
            (
                _vanishing("Uniform", 68000),
                _vanishing("RUCB", 58000, _READ_BY_EYE),
                _vanishing("Sparring", 32000),
                _vanishing("REX3", 11000, _READ_BY_EYE),
                _vanishing(
                    "adaptive",
                    3500,
                    "Unexplained. What is read off the figure is our Condorcet regret itself, and for the others twice "
                    "that, although the same algorithm has the regret of the paper on six rankers and on MSLR.",
                ),
                Statement(
                    "adaptive REX3 has less regret than with γ for T, that less than Sparring + EXP3, and this less "
                    "than RUCB",
                    ordered(_GAP, "adaptive", "REX3", "Sparring", "RUCB", "Uniform"),
                ),
            ),
        ),
    ),
    _READINGS,
)
