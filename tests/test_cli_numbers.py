"""Numbers on the command line that are none."""

import click
import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.cli.numbers import WholeRange


@pytest.mark.parametrize("number", ["nan", "inf", "1e300", "0", "-1", "-nan"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "six-rankers.yaml", "--run-timeout"],
        ["bench", "--against", "old.csv", "--slower"],
        ["bounds", "six-rankers", "--size", "3", "--min-gap"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_is_no_number_in_its_range_is_refused(tmp_path, monkeypatch, arguments, number):
    monkeypatch.chdir(tmp_path)
    if (arguments[0], number) in (("bounds", "0"), ("bench", "1e300")):
        return  # these are
    done = CliRunner().invoke(main, [*arguments, number])
    assert done.exit_code == 2
    assert "not a finite number" in done.stderr or "is not in the range" in done.stderr


@pytest.mark.parametrize("horizon", ["nan", "inf", "1e300", "0", "2.5"])
def test_a_horizon_that_nobody_can_play_is_refused(horizon):
    done = CliRunner().invoke(main, ["bench", "rucb", "--instance", "six-rankers", "--horizon", horizon])
    assert done.exit_code == 2
    assert "a horizon is a whole number of rounds, from 1 to 1e+12" in done.stderr


@pytest.mark.parametrize(("text", "number"), [("1e3", 1000), ("2.5e1", 25), ("7", 7), (" 12 ", 12), (9, 9)])
def test_whole_numbers(text, number):
    assert WholeRange(1, 10**9).convert(text, None, None) == number


@pytest.mark.parametrize("text", ["1.5", "1e-3", "nan", "inf", "1e12", "0", "-5", "many", "1e3.0"])
def test_no_whole_numbers(text):
    with pytest.raises(click.BadParameter):
        WholeRange(1, 10**9).convert(text, None, None)


@pytest.mark.parametrize("arguments", [["run", "six-rankers.yaml"], ["bounds", "six-rankers"]])
def test_a_number_of_processes_that_no_machine_has_is_refused(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [*arguments, "-j", "10000"])
    assert done.exit_code == 2
    assert "10000 is not in the range" in done.stderr
