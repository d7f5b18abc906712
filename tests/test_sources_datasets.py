import itertools
import json
import math
import pickle
import time
from collections import Counter

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources import apart
from duelbench.sources import submatrix as submatrix_module
from duelbench.sources.apart import SetsApart, TooManyError
from duelbench.sources.datasets import dataset, dataset_names, describe_datasets, parameter_models
from duelbench.sources.generators import UniformRandom
from duelbench.sources.submatrix import Submatrix
from duelbench.sources.tables import TABLES


def rng(seed=1):
    return np.random.default_rng(seed)


def error_of(**arguments):
    with pytest.raises(UserError) as caught:
        dataset(**arguments)
    return caught.value


SUSHI = TABLES["sushi16"].matrix()
TENNIS = TABLES["tennis8"].matrix()


# --- submatrix ---


def test_random_choice_is_uniform_over_what_meets_the_conditions():
    matrix = UniformRandom(arms=8, seed=3).draw(rng())
    by_digest = {}
    for arms in itertools.combinations(range(8), 3):
        part = matrix.submatrix(arms)
        if part.condorcet_winner() is None and part.smallest_gap() >= 0.02:
            by_digest[part.digest()] = arms
    assert 5 < len(by_digest) < 50
    choice = Submatrix(size=3, per_run=True, condorcet=False, min_gap=0.02)
    stream = rng()
    drawn = Counter(by_digest[choice.draw(matrix, stream).digest()] for _ in range(200 * len(by_digest)))
    # Five standard deviations of a binomial count with mean 200.
    assert set(drawn) == set(by_digest.values())
    assert all(abs(count - 200) < 5 * 200**0.5 for count in drawn.values())


def test_condorcet_true_finds_a_winner_and_min_gap_counts_equality():
    choice = Submatrix(size=5, per_run=True, condorcet=True)
    stream = rng()
    assert all(choice.draw(TENNIS, stream).condorcet_winner() is not None for _ in range(50))
    matrix = PreferenceMatrix([[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]])
    assert Submatrix(size=2, min_gap=0.25).draw(matrix, rng()).P[0, 1] == 0.75


def test_choice_comes_from_the_seed_or_from_the_run():
    seeded = [Submatrix(size=4, seed=seed).draw(SUSHI, rng(run)).digest() for seed in (0, 1) for run in (0, 1)]
    assert seeded[0] == seeded[1] != seeded[2] == seeded[3]
    assert Submatrix(size=4).draw(SUSHI, rng()).digest() == seeded[0]
    per_run = [Submatrix(size=4, per_run=True).draw(SUSHI, rng(run)).digest() for run in (0, 0, 1)]
    assert per_run[0] == per_run[1] != per_run[2]


def test_a_seed_gives_the_same_choice_for_good():
    # Published results name the seed: these choices must never change.
    for seed, arms in ((0, [2, 3, 10, 11]), (2016, [1, 2, 3, 11])):
        assert Submatrix(size=4, seed=seed, min_gap=0.02).draw(SUSHI, rng()).digest() == SUSHI.submatrix(arms).digest()


def test_listed_arms_keep_their_order():
    part = Submatrix(arms=[7, 0]).draw(SUSHI, rng())
    assert part.digest() == SUSHI.submatrix([7, 0]).digest()


def test_giving_up_says_what_was_looked_for(monkeypatch):
    monkeypatch.setattr(submatrix_module, "PROPOSALS", 1000)
    with pytest.raises(UserError) as caught:
        Submatrix(size=4, condorcet=True, min_gap=0.45).draw(SUSHI, rng())
    assert caught.value.message == (
        "of 1,000 random choices of 4 of the 16 arms of sushi16 none has a Condorcet winner and "
        "every |p − 1/2| ≥ 0.45: choose fewer arms, or relax condorcet or min_gap"
    )


def sets_apart(close, size):
    arms = range(len(close))
    return [each for each in itertools.combinations(arms, size) if not close[np.ix_(each, each)].any()]


@pytest.mark.parametrize(("arms", "density"), [(1, 0.5), (7, 0.0), (8, 0.3), (10, 0.5), (11, 0.15), (6, 1.0)])
def test_sets_apart_are_counted(arms, density):
    for seed in range(5):
        close = np.triu(rng([arms, seed]).random((arms, arms)) < density, 1)
        close |= close.T
        for size in range(1, arms + 1):
            counted = SetsApart(close, size)
            assert counted.share == pytest.approx(len(sets_apart(close, size)) / math.comb(arms, size), rel=1e-12)
            assert counted.largest == max(n for n in range(size + 1) if sets_apart(close, n))


def test_what_is_too_entangled_is_given_up_before_it_takes_minutes(monkeypatch):
    monkeypatch.setattr(apart, "FRONTIERS", 10**18)
    close = rng().random((400, 400)) < 0.2
    with pytest.raises(TooManyError):
        SetsApart(np.triu(close, 1) | np.triu(close, 1).T, 10)


def test_sets_apart_are_drawn_uniformly():
    close = np.triu(rng(7).random((11, 11)) < 0.3, 1)
    close |= close.T
    sets, expected = sets_apart(close, 4), 300
    assert 20 < len(sets) < 200
    counted, stream = SetsApart(close, 4), rng()
    drawn = Counter(tuple(counted.draw(stream).tolist()) for _ in range(expected * len(sets)))
    # Five standard deviations of a binomial count.
    assert set(drawn) == set(sets)
    assert all(abs(count - expected) < 5 * expected**0.5 for count in drawn.values())


def test_entangled_closeness_is_not_counted(monkeypatch):
    close = np.triu(rng().random((20, 20)) < 0.3, 1)
    close |= close.T
    SetsApart(close, 3)
    monkeypatch.setattr(apart, "FRONTIERS", 100)
    with pytest.raises(TooManyError):
        SetsApart(close, 3)


def nearly_a_chain(arms):
    """A matrix in which only arms three or more apart differ by 0.1 or more."""
    k = np.arange(arms)
    return PreferenceMatrix(0.5 + np.clip((k - k[:, None]) / 30, -0.4, 0.4))


def test_choices_that_rejection_would_never_find():
    matrix = nearly_a_chain(58)  # every third arm: one choice of 20 in 1e15
    choice = Submatrix(size=20, min_gap=0.0999, per_run=True, condorcet=True)
    assert choice.draw(matrix, rng()).digest() == matrix.submatrix(range(0, 58, 3)).digest()
    with pytest.raises(UserError) as caught:
        Submatrix(size=21, min_gap=0.0999).draw(matrix, rng())
    assert caught.value.message == (
        "size is 21 and no more than 20 of the 58 arms of preference matrix have every |p − 1/2| ≥ 0.0999: "
        "choose fewer arms, or relax min_gap"
    )
    assert caught.value.key == ("size",)


def test_rare_choices_still_have_to_meet_condorcet(monkeypatch):
    monkeypatch.setattr(submatrix_module, "DRAWS", 100)
    with pytest.raises(UserError, match=r"of 8,164 random choices of 19 .* none has no Condorcet winner and every"):
        Submatrix(size=19, min_gap=0.0999, condorcet=False).draw(nearly_a_chain(58), rng())


def test_rejection_and_counting_agree(monkeypatch):
    matrix, choice = UniformRandom(arms=9, seed=3).draw(rng()), Submatrix(size=4, per_run=True, min_gap=0.1)
    number = len(sets_apart((np.abs(matrix.P - 0.5) < 0.1) & ~np.eye(9, dtype=bool), 4))
    assert 3 < number < 60
    monkeypatch.setattr(submatrix_module, "PATIENCE", 1)
    for proposals in (10**6, 2):  # the share of choices that keep the gap is called rare only if few are tried
        monkeypatch.setattr(submatrix_module, "PROPOSALS", proposals)
        stream = rng()
        drawn = Counter(choice.draw(matrix, stream).digest() for _ in range(200 * number))
        assert len(drawn) == number
        assert all(abs(count - 200) < 5 * 200**0.5 for count in drawn.values())


def test_how_large_a_part_of_the_mslr_matrix_keeps_its_gaps(mslr):
    matrix = mslr["mslr-informational"]
    with pytest.raises(UserError, match=r"no more than 58 of the 136 arms of mslr-informational have every .* ≥ 0.005"):
        Submatrix(size=64, min_gap=0.005).draw(matrix, rng())
    part = Submatrix(size=64, min_gap=0.003, condorcet=False, per_run=True).draw(matrix, rng())
    assert part.arms == 64 and part.smallest_gap() >= 0.003 and part.condorcet_winner() is None


def test_rare_choices_are_fast():
    # About 1.5 % of the choices meet this gap, as on the MSLR informational matrix with min_gap 0.005.
    strengths = np.linspace(0, 3, 136)
    P = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    matrix = PreferenceMatrix(P)
    choice = Submatrix(size=16, min_gap=0.0083, condorcet=True, per_run=True)
    stream, start = rng(), time.perf_counter()
    for _ in range(500):
        assert choice.draw(matrix, stream).smallest_gap() >= 0.0083
    assert time.perf_counter() - start < 10


# --- dataset ---


def test_table_is_the_same_for_every_run():
    sushi = dataset("sushi16")
    assert not sushi.varies
    assert (sushi.title, sushi.arms) == ("Sushi, K = 16", 16)
    assert "Kamishima" in sushi.citation
    assert sushi.instance(rng(1)) is sushi.instance(rng(2))
    assert sushi.identity() == {"matrix": SUSHI.digest()}


def test_identity_is_of_the_content_not_of_the_path(tmp_path):
    np.save(tmp_path / "mine.npy", SUSHI.P)
    mine = dataset(file="mine.npy", base=tmp_path)
    assert mine.title == "mine, K = 16"
    assert mine.identity() == dataset("sushi16").identity()
    part = dataset("sushi16", submatrix={"arms": [0, 2, 5]})
    assert part.identity() == {"matrix": SUSHI.submatrix([0, 2, 5]).digest()}
    assert part.arms == 3 and not part.varies


def test_random_generator_varies_unless_seeded():
    free = dataset("uniform-random", parameters={"arms": 4})
    assert free.varies and free.arms == 4
    assert free.identity() == {
        "generator": "uniform-random",
        "parameters": {"arms": 4, "seed": None, "condorcet": False},
    }
    assert free.instance(rng(3)).digest() == UniformRandom(arms=4).draw(rng(3)).digest()
    assert free.instance(rng(3)).digest() != free.instance(rng(4)).digest()
    seeded = dataset("uniform-random", parameters={"arms": 4, "seed": 1})
    assert not seeded.varies
    assert seeded.identity() == {"matrix": seeded.instance(rng()).digest()}
    assert not dataset("linear-order").varies


def test_submatrix_per_run_varies():
    part = dataset("sushi16", submatrix={"size": 4, "per_run": True, "min_gap": 0.01})
    assert part.varies and part.arms == 4
    assert part.title == "Sushi, K = 4 of 16"
    assert part.instance(rng(1)).digest() != part.instance(rng(2)).digest()
    assert part.identity()["matrix"] == SUSHI.digest()
    assert part.identity()["submatrix"] == {
        "arms": None, "size": 4, "seed": 0, "per_run": True, "condorcet": None, "min_gap": 0.01,
    }  # fmt: skip


def test_submatrix_of_a_random_generator_varies_with_it():
    part = dataset("uniform-random", submatrix={"arms": [9, 3]})
    assert part.varies and part.arms == 2
    whole = UniformRandom().draw(rng(5))
    assert part.instance(rng(5)).digest() == whole.submatrix([9, 3]).digest()
    assert part.identity()["generator"] == "uniform-random" and part.identity()["submatrix"]["arms"] == [9, 3]


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "tennis8"},
        {"name": "btl-uniform"},
        {"name": "btl-uniform", "submatrix": {"size": 3, "per_run": True}},
    ],
)
def test_dataset_travels_to_other_processes_and_into_json(arguments):
    here = dataset(**arguments)
    there = pickle.loads(pickle.dumps(here))
    assert there.instance(rng()).digest() == here.instance(rng()).digest()
    assert json.loads(json.dumps(here.identity())) == there.identity()


@pytest.mark.parametrize(
    ("arguments", "key", "says"),
    [
        ({"name": "sushi"}, ("name",), "unknown dataset 'sushi' (did you mean 'sushi16'?): there is six-rankers, "),
        ({}, (), "either a name or a file"),
        ({"name": "sushi16", "file": "x.csv"}, (), "either a name or a file"),
        (
            {"name": "sushi16", "parameters": {"arms": 4}},
            ("arms",),
            "Sushi is a fixed table and has no parameters: remove 'arms'",
        ),
        (
            {"name": "btl-uniform", "parameters": {"arm": 4}},
            ("arm",),
            "there is no parameter 'arm' (did you mean 'arms'?): there is arms, seed",
        ),
        (
            {"name": "btl-uniform", "parameters": {"arms": 1}},
            ("arms",),
            "arms is 1: it must be greater than or equal to 2",
        ),
        (
            {"name": "btl-uniform", "parameters": {"arms": "many"}},
            ("arms",),
            "arms is 'many': it must be a valid integer",
        ),
        (
            {"name": "uniform-random", "parameters": {"condorcet": "no"}},
            ("condorcet",),
            "condorcet is 'no': it must be true or false",
        ),
        ({"name": "sushi16", "submatrix": {}}, ("submatrix",), "say which arms"),
        ({"name": "sushi16", "submatrix": {"size": 1}}, ("submatrix", "size"), "size is 1: it must be greater"),
        (
            {"name": "sushi16", "submatrix": {"size": 17}},
            ("submatrix", "size"),
            "size is 17 and there are only 16 arms",
        ),
        ({"name": "btl-uniform", "submatrix": {"size": 101}}, ("submatrix", "size"), "only 100 arms"),
        ({"name": "sushi16", "submatrix": {"sizes": 4}}, ("submatrix", "sizes"), "did you mean 'size'?"),
        (
            {"name": "sushi16", "submatrix": {"size": 4, "seed": 1, "per_run": True}},
            ("submatrix", "seed"),
            "remove seed",
        ),
        (
            {"name": "sushi16", "submatrix": {"arms": [0, 1], "size": 2}},
            ("submatrix", "size"),
            "size is for a random choice and arms lists the choice: keep one",
        ),
        ({"name": "sushi16", "submatrix": {"arms": [0, 16]}}, ("submatrix", "arms", 1), "there is no arm 16"),
        ({"name": "btl-uniform", "submatrix": {"arms": [0, 100]}}, ("submatrix", "arms", 1), "there is no arm 100"),
        ({"name": "sushi16", "submatrix": {"arms": [0, "x"]}}, ("submatrix", "arms", 1), "arms.1 is 'x'"),
        ({"name": "sushi16", "submatrix": {"size": 3, "min_gap": 0.6}}, ("submatrix", "min_gap"), "min_gap is 0.6"),
        (
            {"name": "cyclic4", "submatrix": {"size": 4, "condorcet": False, "per_run": True}},
            ("submatrix",),
            "none has no Condorcet winner",
        ),
    ],
)
def test_error_says_what_to_do_and_where(arguments, key, says, monkeypatch):
    monkeypatch.setattr(submatrix_module, "PROPOSALS", 1000)
    error = error_of(**arguments)
    assert says in error.message
    assert error.key == key


def test_error_in_a_file_names_the_file_and_its_line(tmp_path):
    (tmp_path / "mine.csv").write_text("0.5,0.6\n0.4,zero\n")
    error = error_of(file="mine.csv", base=tmp_path)
    assert (error.source, error.line, error.key) == (str(tmp_path / "mine.csv"), 2, ("file",))
    assert error_of(file="nowhere.csv", base=tmp_path).key == ("file",)
    (tmp_path / "mine.csv").write_text("0.5,0.6\n0.4,0.5\n")
    error = error_of(file="mine.csv", base=tmp_path, parameters={"alpha": 1})
    assert error.message == "mine is a fixed table and has no parameters: remove 'alpha'"


# --- catalogue ---


def test_catalogue_describes_every_dataset():
    lines = describe_datasets()
    assert [line.name for line in lines] == dataset_names() == list(parameter_models())
    for line in lines:
        if line.kind != "download":
            made = dataset(line.name)
            assert made.arms == line.arms
            assert made.title.startswith(line.title) and made.citation == line.citation
        assert line.note and (line.kind != "generator") == (parameter_models()[line.name] is None) == (
            not line.parameters
        )
    defaults = {line.name: {name: default for name, default, _ in line.parameters} for line in lines}
    assert defaults["uniform-random"] == {"arms": 10, "seed": None, "condorcet": False}
