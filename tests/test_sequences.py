"""Datasets that change: rules, sequences of matrices, files, and errors."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.parameters import validated
from duelbench.preferences.changing import Changing
from duelbench.sources.datasets import dataset
from duelbench.sources.matrix_files import is_sequence, load_sequence
from duelbench.sources.published_matrices import TABLES
from duelbench.sources.sequences import ChangeRules, ChangingDataset, changing_dataset


def rules(**written):
    return validated(ChangeRules, written)


def starts(horizon, seed=1, **written):
    return rules(**written).starts(horizon, np.random.default_rng(seed))


def test_breakpoints():
    """M = 4 segments of T = 10: the new matrix holds from round ⌊mT/M⌋ + 1 on."""
    assert starts(10, breakpoints=3) == [3, 6, 8]
    assert starts(1e6, breakpoints=9) == [m * 100_000 + 1 for m in range(1, 10)]
    for written in ({"breakpoints": 7}, {"every": 7}, {"rounds": [4, 5, 90]}, {"per_decade": 7}, {"every": 50}):
        assert rules(**written).count(100) == len(starts(100, **written))


def test_random_breakpoints():
    found = [starts(9, seed, breakpoints=8, placed="at random") for seed in range(3)]
    assert found == [list(range(2, 10))] * 3
    found = [starts(1000, seed, breakpoints=2, placed="at random") for seed in range(2000)]
    assert all(1 < one < other <= 1000 for one, other in found)
    assert abs(np.mean(found) - 501) < 4 * 1000 / np.sqrt(12 * 4000)
    assert rules(breakpoints=2, placed="at random").random and not rules(breakpoints=2).random


def test_other_rounds():
    assert starts(10, every=3) == [4, 7, 10]
    assert starts(10, rounds=[2, 9]) == [2, 9]
    steps = starts(10_000, per_decade=10)
    assert steps[:7] == list(range(2, 9))  # in every round at first
    later = np.array(steps[-20:])
    assert np.allclose(later[1:] / later[:-1], 10**0.1, rtol=0.01)


def test_rounds_identity():
    even = rules(breakpoints=3).identity(12)
    assert even == rules(every=3).identity(12) == rules(rounds=[4, 7, 10]).identity(12)
    more = ({"winner": "may stay"}, {"walk": 0.1}, {"walk": 0.2}, {"to": "cyclic4"}, {"placed": "at random"})
    others = [rules(breakpoints=3).identity(16), *(rules(breakpoints=3, **each).identity(12) for each in more)]
    others.append(rules(breakpoints=3, placed="at random").identity(13))
    assert all(one != other for k, one in enumerate([even, *others]) for other in others[k:])


@pytest.mark.parametrize(
    ("written", "key", "says"),
    [
        ({}, (), "missing times of the changes: write breakpoints, rounds, every or per_decade"),
        ({"every": 3, "breakpoints": 2}, ("every",), "breakpoints and every both set the times"),
        ({"every": 3, "from": "a", "to": "b"}, ("to",), "from and to both set the new matrices"),
        ({"every": 3, "from": "a", "walk": 0.1}, ("walk",), "from and walk both"),
        ({"every": 3, "placed": "at random"}, ("placed",), "placed applies only to breakpoints"),
        ({"every": 3, "walk": 0.1, "winner": "may stay"}, ("winner",), "walk does not redraw matrices"),
        ({"rounds": [9, 9]}, ("rounds", 1), "round 9 does not come after 9"),
        ({"rounds": [1]}, ("rounds", 0), "greater than or equal to 2"),
        ({"breakpoint": 2}, ("breakpoint",), "breakpoints"),
        ({"every": 3, "winner": "changes"}, ("winner",), "must change"),
        ({"breakpoints": 0}, ("breakpoints",), "greater than or equal to 1"),
    ],
)
def test_rule_errors(written, key, says):
    with pytest.raises(UserError, match=says) as raised:
        rules(**written)
    assert raised.value.key == key


CYCLIC = TABLES["cyclic4"].matrix()


def made(changes, name="cyclic4", horizon=1000, base=Path(), file=None, votes=None, submatrix=None, **parameters):
    return changing_dataset(name, file, parameters, submatrix, base, votes, changes, horizon)


def drawn(found, seed=1):
    return found.drawn(np.random.default_rng(seed))


def winners(changing):
    return [set(matrix.copeland_winners().tolist()) for matrix in changing.matrices]


def test_listed():
    other = {"at": 500, "name": "sushi16", "submatrix": {"arms": [0, 3, 5, 8]}}
    found = made([{"at": 20, "name": "linear-order", "arms": 4}, other])
    assert isinstance(found, ChangingDataset)
    assert (found.arms, found.varies, found.segments, found.shared_changes) == (4, False, 3, (20, 500))
    assert found.title.endswith("K = 4, 2 changes")
    whole = drawn(found)
    assert whole.matrix.starts == (1, 20, 500) and whole.parameters["rounds"] == (1, 20, 500)
    assert whole.matrix.at(19).digest() == CYCLIC.digest()
    assert whole.matrix.at(500).digest() == dataset("sushi16", submatrix={"arms": [0, 3, 5, 8]}).identity()["matrix"]
    # The key is the content, equal to that of the same sequence from Python.
    assert found.identity() == Changing([(b, whole.matrix.at(b)) for b in (1, 20, 500)]).identity()
    assert found.drawn_by == ()


def test_renumbered():
    found = made({"breakpoints": 49}, "six-rankers")
    best = [each for seed in range(3) for each in winners(drawn(found, seed).matrix)]
    assert all(len(each) == 1 for each in best)
    assert all(one != other for k, one in enumerate(best) if k % 50 for other in best[k - 1 : k])
    assert set().union(*best) == set(range(6))
    order = drawn(found).parameters["segment 3, order"]
    assert drawn(found).matrix.matrices[2].digest() == TABLES["six-rankers"].matrix().relabelled(order).digest()


def test_drawn_anew():
    found = made({"breakpoints": 30}, "uniform-random", arms=3, condorcet=True)
    for seed in range(3):
        best = winners(drawn(found, seed).matrix)
        assert all(one != other for one, other in itertools.pairwise(best))
    stay = winners(drawn(made({"breakpoints": 30, "winner": "may stay"}, "uniform-random", arms=3)).matrix)
    assert any(one == other for one, other in itertools.pairwise(stay))
    outside = winners(drawn(made({"breakpoints": 30, "winner": "not the first"}, "geom-btl", arms=3)).matrix)
    assert all(not outside[0] & each for each in outside[1:]) and outside[1:] != outside[1:][::-1]


def test_dataset_of_file(tmp_path):
    np.savez(tmp_path / "s.npz", PMat=np.stack([CYCLIC.P, CYCLIC.relabelled([1, 0, 2, 3]).P]), rounds=[1, 700])
    found = made(None, None, file="s.npz", base=tmp_path)
    assert (found.shared_changes, found.arms, found.varies) == ((700,), 4, False)
    assert found.identity() == drawn(found).matrix.identity()
    short = made(None, None, file="s.npz", base=tmp_path, horizon=699)
    assert short.segments == 1
    for key, more in (("changes", {"every": 9}), ("submatrix", {"size": 2})):
        with pytest.raises(UserError) as raised:
            made(name=None, file="s.npz", base=tmp_path, **{"changes": None, key: more})
        assert raised.value.key == (key,)
    with pytest.raises(UserError, match="no such file"):
        made(None, None, file="nowhere.npz", base=tmp_path)


LINEAR = {"name": "linear-order", "arms": 4}


@pytest.mark.parametrize(
    ("changes", "key", "says"),
    [
        ([], ("changes",), "list the datasets that follow"),
        (["cyclic4"], ("changes", 0), "a change must be a mapping with 'at'"),
        ([LINEAR], ("changes", 0, "at"), "at"),
        ([{"at": 1, **LINEAR}], ("changes", 0, "at"), "greater than or equal to 2"),
        ([{"at": 9, **LINEAR}, {"at": 9, **LINEAR}], ("changes", 1, "at"), "round 9 does not come after 9"),
        ([{"at": 9, "name": "six-rankers"}], ("changes", 0), "6 arms, but the first has 4"),
        ([{"at": 9, "name": "six-ranker"}], ("changes", 0, "name"), "did you mean"),
        ([{"at": 9, **LINEAR, "changes": {"every": 3}}], ("changes", 0, "changes"), "to the whole entry"),
        ([{"at": 9, "name": "cyclic4", "arms": ["a", "b", "c", "d"]}], ("changes", 0, "arms"), "the names of arms"),
        ([{"at": 9, "name": "linear-order", "arm": 4}], ("changes", 0, "arm"), "no parameter 'arm'"),
        ([{"at": 9, "name": 4}], ("changes", 0, "name"), "must be text"),
        ([{"at": 9, "name": "cyclic4", "submatrix": 3}], ("changes", 0, "submatrix"), "a mapping such as"),
        ([{"at": 9}], ("changes", 0), "either a name, a file or votes"),
        ({"breakpoints": 1000}, ("changes", "breakpoints"), "only 1000 rounds"),
        ({"every": 10, "from": "sushi16"}, ("changes", "from"), "16 arms, but the first has 4"),
        ({"every": 10, "to": "nothing"}, ("changes", "to", "name"), "unknown dataset"),
        (9, ("changes",), "a list of datasets, or rules"),
    ],
)
def test_changes_errors(changes, key, says):
    with pytest.raises(UserError, match=says) as raised:
        made(changes)
    assert raised.value.key == key


def test_changing_votes(tmp_path):
    (tmp_path / "v.csv").write_text("winner,loser\na,b\nb,a\na,b\n")
    with pytest.raises(UserError, match="remove 'continue'") as raised:
        made({"every": 9}, None, votes="v.csv", base=tmp_path, draw="posterior", **{"continue": True})
    assert raised.value.key == ("changes",)
    segments = drawn(made({"every": 9}, None, votes="v.csv", base=tmp_path, draw="posterior", horizon=90)).matrix
    assert len({each.digest() for each in segments.matrices}) == 10


OTHER = CYCLIC.relabelled([1, 0, 2, 3])
BLOCKS = np.stack([CYCLIC.P, OTHER.P, CYCLIC.P])


def test_sequence_file(tmp_path):
    np.savez(tmp_path / "s.npz", PMat=BLOCKS, rounds=[1, 5, 9])
    assert is_sequence(tmp_path / "s.npz")
    found = load_sequence(tmp_path / "s.npz")
    assert found.starts == (1, 5, 9)
    assert [each.digest() for each in found.matrices] == [each.digest() for each in (CYCLIC, OTHER, CYCLIC)]
    np.savez(tmp_path / "one.npz", PMat=CYCLIC.P)
    (tmp_path / "text.npz").write_text("0.5,0.6")
    np.save(tmp_path / "s.npy", BLOCKS)
    assert not any(is_sequence(tmp_path / name) for name in ("one.npz", "text.npz", "s.npy", "nowhere.npz"))


WRONG = BLOCKS.copy()
WRONG[2, 0, 1] = 2.0
