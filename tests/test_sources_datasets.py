""""""

import json
import pickle

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources import submatrix as submatrix_module
from duelbench.sources.datasets import dataset, dataset_names, describe_datasets, parameter_models
from duelbench.sources.generators import UniformRandom
from tests.choosing import SUSHI, rng


def error_of(**arguments):
    with pytest.raises(UserError) as caught:
        dataset(**arguments)
    return caught.value


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
        ({}, (), "either a name, a file"),
        ({"name": "sushi16", "file": "x.csv"}, (), "either a name, a file"),
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


# --- names of arms ---


def test_names_of_arms_change_no_number():
    plain = dataset("cyclic4")
    named = plain.with_names("abcd")
    assert (plain.arm_names, named.arm_names) == (None, tuple("abcd"))
    assert named.identity() == plain.identity()
    part = dataset("cyclic4", submatrix={"arms": [2, 0]}).with_names(["x", "y"])
    assert part.arm_names == ("x", "y")
    each = dataset("sushi16", submatrix={"size": 4, "per_run": True})
    assert each.with_names([str(arm) for arm in range(16)]).arm_names is None  # another four in each run


@pytest.mark.parametrize(
    ("name", "names", "says"),
    [("cyclic4", "abc", "3 names for 4 arms"), ("btl-uniform", "ab", "a random matrix have no names")],
)
def test_names_that_do_not_fit_are_refused(name, names, says):
    with pytest.raises(UserError, match=says) as caught:
        dataset(name).with_names(names)
    assert caught.value.key == ("arms",)


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
