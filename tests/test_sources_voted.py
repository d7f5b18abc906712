"""Matrices from votes, as a dataset."""

import pytest

from duelbench.errors import UserError
from duelbench.sources.datasets import dataset

VOTES = "first,second,winner\n" + "ann,bob,ann\n" * 3 + "bob,cy,tie\ncy,ann,ann\n"


@pytest.fixture
def votes(tmp_path):
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path


def test_arms_of_drawn_matrices_have_the_names_that_the_votes_give_them(votes):
    drawn = dataset(votes="votes.csv", base=votes, parameters={"draw": "posterior"})
    assert drawn.varies
    assert drawn.arm_names == ("ann", "bob", "cy")
    with pytest.raises(UserError, match="names that the votes give") as caught:
        drawn.with_names(["a", "b", "c"])
    assert caught.value.key == ("arms",)


def test_a_part_chosen_for_each_run_has_no_names(votes):
    part = dataset(
        votes="votes.csv", base=votes, parameters={"draw": "posterior"}, submatrix={"size": 2, "per_run": True}
    )
    assert part.arm_names is None
