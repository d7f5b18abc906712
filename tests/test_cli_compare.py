"""``duelbench compare``: what it says, and its exit code."""

import pytest
from click.testing import CliRunner

from duelbench.cli import main


@pytest.mark.parametrize(
    ("other", "code", "sentences"),
    [
        ("again", 0, ["six-rankers/rucb: 40 runs identical\n", "a and again are identical"]),
        ("reseeded", 0, ["copeland regret at t = 10,000: ", " agree\n", "  spec.seed: 5 | 6", "a and reseeded agree"]),
        ("wider", 1, [" DIFFER\n", "parameters.alpha: 0.51 | 1.5", "a and wider do not agree"]),
        ("alone", 1, ["six-rankers/d-ts: only in A"]),
        ("nowhere", 2, ["nowhere is not the results of an experiment"]),
    ],
)
def test_the_exit_code_says_whether_they_agree(results, monkeypatch, other, code, sentences):
    monkeypatch.chdir(results)
    done = CliRunner().invoke(main, ["compare", "a", other])
    assert done.exit_code == code
    for sentence in sentences:
        assert sentence in done.output
