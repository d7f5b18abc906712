"""Standard deviations: their intervals are how much they vary between experiments, above all with a heavy tail."""

import numpy as np
import pytest

from duelbench.reproduction import spread
from duelbench.reproduction.spread import Moments
from tests.measured import finding

STD, HALF_STD = spread.std_share("fig", "a", "b", 20, 2000, 1.25, "d"), spread.at_most_std("fig", "a", "b", 0.5, "d")


def cell(std, mean=1, runs=5000, kurtosis=3.0):
    return {"mean": mean, "std": std, "runs": runs, "kurtosis": kurtosis}


CASES = {
    "std": (STD, cell(2.1), True),
    "std too large": (STD, cell(2.8), False),
    "std too small": (STD, cell(1.4), False),
    "std of few runs": (STD, cell(2.1, runs=40), None),
    "std of a heavy tail": (STD, cell(2.1, kurtosis=200), None),
    "of nobody knows how many": (STD, cell(2.1, kurtosis=float("nan")), None),
    "smaller std": (HALF_STD, cell(0.3), True),
    "std not smaller": (HALF_STD, cell(0.7), False),
    "smaller std or not": (HALF_STD, cell(0.49, runs=100), None),
}


@pytest.mark.parametrize("case", CASES)
def test_measures_say_yes_and_no(tmp_path, case):
    measure, own, agrees = CASES[case]
    assert finding(tmp_path, measure, a=own, b=cell(1, mean=10)).agrees is agrees


def test_the_interval_is_shown(tmp_path):
    measured = finding(tmp_path, STD, a=cell(2), b=cell(1, mean=10)).measured
    # Relative errors: sqrt((3 - 1) / 4 + 0.1²) / sqrt(n), of 5000 and of 2000 runs.
    assert measured == (
        "20.0 (19.6 to 20.4) %; theirs is known to ± 2 %; quotient 1.00 (0.962 to 1.04), agreement is up to 1.25"
    )


@pytest.mark.parametrize("same", [True, False])
def test_the_error_is_how_much_the_quotient_varies(same):
    """Gamma variables with κ = 3 + 6 / 0.5; 4000 experiments of 1000 runs. Rules for normal ones are half of that."""
    rng = np.random.default_rng(3)
    samples = rng.gamma(0.5, size=(4000, 1000))
    others = samples if same else rng.gamma(2.0, size=(4000, 1000))
    varies = samples.std(axis=1) / others.mean(axis=1)
    own = Moments(0.5, np.sqrt(0.5), 2 / np.sqrt(0.5), 3 + 6 / 0.5, 1000)
    base = own if same else Moments(2.0, np.sqrt(2.0), 2 / np.sqrt(2.0), 3 + 6 / 2.0, 1000)
    error = spread.relative_error(own, base, 1000)
    assert error == pytest.approx(varies.std() / varies.mean(), rel=0.05)
    assert own.spread.sem == pytest.approx(samples.std(axis=1).std(), rel=0.05)
