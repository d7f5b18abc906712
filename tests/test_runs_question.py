"""The experiment that answers which algorithm to use."""

import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.runs.question import SUGGESTED, Question, after_votes, before_votes
from duelbench.sources.datasets import dataset
from duelbench.spec.model import Spec


def test_all_that_is_suggested_is_there():
    assert {name for names in SUGGESTED.values() for name in names} <= set(catalogue())
    assert all(catalogue()[name].learns_from_any_duel for name in SUGGESTED["continued"])


@pytest.mark.parametrize("find", ["copeland", "condorcet", "borda"])
def test_it_is_a_spec(find):
    worlds = (after_votes("../v.csv", find, {"ties": "drop"}), *before_votes(5, ["bradley-terry", "unrelated"], find))
    spec = Spec.model_validate(Question(worlds, 700, find, 20, 3).spec("x", "X"))
    assert (spec.horizons, spec.regret, spec.recommend, spec.runs, spec.seed) == ((700,), (find,), "own", 20, 3)
    labels = [entry.label for entry in spec.expanded_algorithms()]
    assert labels == list(SUGGESTED["borda" if find == "borda" else "copeland"])
    budgets = {entry.name: entry.parameters for entry in spec.expanded_algorithms() if entry.parameters}
    assert budgets == {name: {"budget": 700} for name in labels if name in ("parwis", "select")}
    assert [entry.name for entry in spec.expanded_datasets()] == [None, "btl-uniform", "uniform-random"]
    crowned = [entry.parameters.get("condorcet", False) for entry in spec.expanded_datasets()]
    assert crowned == [find == "condorcet", False, find == "condorcet"]  # of Bradley–Terry all have a winner


def test_what_goes_on_from_votes_is_played_by_those_that_can():
    entry = after_votes("v.csv", "copeland", {"continue": True})
    spec = Question((entry,), 100, "copeland", 5, 0).spec("x", "X")
    assert spec["algorithms"] == list(SUGGESTED["continued"])
    assert Question((entry,), 100, "copeland", 5, 0, ("rucb",)).spec("x", "X")["algorithms"] == ["rucb"]


def test_worlds_are_words_or_generators():
    (entry,) = before_votes(7, ["three-winners"], "copeland")
    assert dataset(entry["name"], parameters={"arms": entry["arms"]}).arms == 7
    with pytest.raises(UserError, match="did you mean 'bradley-terry'"):
        before_votes(7, ["bradley-tery"], "copeland")
