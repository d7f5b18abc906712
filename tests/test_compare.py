"""Whether two directories of results agree."""

import math
import zlib

import numpy as np
import pytest
from scipy.stats import t as student

from duelbench.analysis.compare import compare
from duelbench.analysis.difference import Sample, difference
from duelbench.cli.compare import _too_few
from duelbench.spec.resolved import Labels
from tests.commands import here
from tests.experiments import COMPARED, own_algorithm, played
from tests.tabled import sample

RUCB, DTS = ("six-rankers", "rucb"), ("six-rankers", "d-ts")


def test_another_seed(results):
    found = compare(results / "a", results / "reseeded")
    assert not found.identical
    assert found.agrees
    assert {each.labels for each in found.differences} == {DTS, RUCB}
    assert all(each.half_width > 0 for each in found.differences)
    assert found.conditions == [("spec.seed", 5, 6)]


def test_another_parameter(results):
    found = compare(results / "a", results / "wider")
    assert not found.agrees
    assert [(each.labels, each.identical) for each in found.series] == [(DTS, True), (RUCB, False)]
    (difference,) = found.differences
    assert difference.labels == RUCB
    assert difference.means[1] > difference.means[0] + difference.half_width
    assert ("spec.algorithms.rucb.parameters.alpha", 0.51, 1.5) in found.conditions


def test_fewer_runs(results):
    found = compare(results / "a", results / "fewer")
    assert [(each.same, each.only) for each in found.series] == [(30, (10, 0))] * 2
    assert [each.only for each in compare(results / "fewer", results / "a").series] == [(0, 10)] * 2
    assert found.agrees and not found.identical


def test_too_few_runs(results, tmp_path):
    """Comparing one or two runs with forty is inconclusive."""
    for runs in (1, 2):
        played(tmp_path, COMPARED.replace("runs: 40", f"runs: {runs}").replace("seed: 5", "seed: 6"), str(runs))
        found = compare(results / "a", tmp_path / str(runs))
        assert (found.agrees, found.inconclusive) == (False, True)
        assert all(each.inconclusive and not each.differs for each in found.differences if each.labels == DTS)
        said = say(results / "a", ".", tmp_path / str(runs), code=1)
        assert f"inconclusive: {runs} run" in said
        assert "± inf" not in said
    assert not compare(results / "a", results / "reseeded").inconclusive
    assert not compare(results / "a", results / "wider").inconclusive


ONE = "horizon: 10\nruns: 4\ndatasets: [six-rankers]\nalgorithms: ['one.py:One']\n"
CODE = own_algorithm(name="One")


def say(base, *directories, code):
    done = here("compare", *(base / each for each in directories))
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.parametrize(
    ("other", "code", "sentences"),
    [
        ("again", 0, ["six-rankers/rucb: 40 runs identical\n", "a and again are identical"]),
        ("reseeded", 0, ["copeland regret at t = 10,000: ", " agree\n", "  spec.seed: 5 | 6", "a and reseeded agree"]),
        ("wider", 1, [" DIFFER\n", "parameters.alpha: 0.51 | 1.5", "a and wider do not agree"]),
        ("alone", 1, ["six-rankers/d-ts: only in A"]),
        ("nowhere", 2, ["there is no directory nowhere"]),
    ],
)
def test_exit_codes(results, monkeypatch, other, code, sentences):
    monkeypatch.chdir(results)
    done = here("compare", "a", other)
    assert done.exit_code == code
    for sentence in sentences:
        assert sentence in done.output


# Differences of means


def between(a, b, alike=False):
    """Return the difference of two samples, or of two tuples (runs, mean, standard deviation)."""
    pair = [each if isinstance(each, Sample) else Sample(each[1], each[2] / each[0] ** 0.5, each[0]) for each in (a, b)]
    return difference(Labels(*RUCB), "copeland", 1, *pair, 1, alike)


@pytest.mark.parametrize("runs", [(10, 40), (40, 40)])
def test_visible_difference(runs):
    """Differences of the detectable size are found in nine of ten cases, half of that size much less often."""
    rng = np.random.default_rng(5)
    found = {1.0: 0, 0.5: 0}
    for share in found:
        for _ in range(1000):
            a, b = (sample(rng.normal(100, 20, count)) for count in runs)
            moved = b._replace(mean=b.mean + share * between(a, b).min_detectable)
            found[share] += between(a, moved).differs
    assert 880 <= found[1.0] <= 970
    assert found[0.5] < 600


def test_few_runs_against_many():
    many = (500, 100.0, 40.0)
    assert between((2, 110.0, 40.0), many).inconclusive
    assert between((1, 100.0, math.nan), many).inconclusive
    assert _too_few(between((6, 110.0, 40.0), many)).endswith(", 60 % of the mean")
    enough = between((40, 110.0, 40.0), many)
    assert (enough.inconclusive, enough.agrees) == (False, True)
    assert between((40, 200.0, 40.0), many).differs


def test_few_runs_close_together():
    """Runs of one distribution rarely seem to differ, even if they are few and skewed."""
    assert between((2, 190.7, 13.5), (300, 300.0, 312.0)).inconclusive
    assert between((4, 100.0, 0.1), (4, 200.0, 0.1)).inconclusive
    rng = np.random.default_rng(3)
    for runs, other in ((2, 300), (5, 5), (5, 200), (10, 40), (29, 300)):
        alarms = 0
        for _ in range(500):
            alarms += between(*(sample(rng.lognormal(sigma=1.0, size=size)) for size in (runs, other))).differs
        assert alarms <= 25, (runs, alarms)


def test_interval():
    """The t interval has 9 degrees of freedom for 10 and 40 runs, 18 for 10 and 10, and a Bonferroni correction."""
    few, many = Sample(0.0, 2.0, 10), Sample(0.0, 1.0, 40)
    for family in (1, 10):
        found = difference(Labels(*RUCB), "copeland", 1, few, many, family)
        assert found.half_width == pytest.approx(student.ppf(1 - 0.025 / family, 9) * 5**0.5)
    equal = difference(Labels(*RUCB), "copeland", 1, few, few, 1)
    assert equal.half_width == pytest.approx(student.ppf(0.975, 18) * 8**0.5)


def test_alike_to_the_byte():
    assert between((3, 100.0, 40.0), (2, 110.0, 40.0), alike=True).agrees


def test_same_key_and_other_bytes(tmp_path):
    """Other bytes with the same key are reported, as for an algorithm that depends on more than its seed."""
    (tmp_path / "one.py").write_text(CODE)
    for name in "ab":
        played(tmp_path, ONE, name)
    path = tmp_path / "b" / "six-rankers" / "One" / "run-00001.csv"
    first, _, body = path.read_text().partition("\n")
    other = body.replace("\n10,", "\n10,9")
    path.write_text(f"{first.rpartition(' ')[0]} {zlib.crc32(other.encode()):08x}\n{other}")
    assert [(each.same, each.unlike) for each in compare(tmp_path / "a", tmp_path / "b").series] == [(3, 1)]
    assert "1 have the same key but different bytes" in say(tmp_path, "a", "b", code=1)
    played(tmp_path, ONE + "seed: 9\n", "c")
    assert [each.unlike for each in compare(tmp_path / "a", tmp_path / "c").series] == [0]
