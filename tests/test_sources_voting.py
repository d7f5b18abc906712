"""What a spec says of a file of votes."""

import pytest

from duelbench.errors import UserError
from duelbench.sources.datasets import dataset
from duelbench.sources.parameters import validated
from duelbench.sources.voting import Voting

VOTES = "model_a,model_b,winner\n" + "ann,bob,model_a\n" * 3 + "bob,cy,tie\ncy,ann,model_b\n"


@pytest.fixture
def votes(tmp_path):
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path


def of(base, file="votes.csv", **parameters):
    return dataset(votes=file, base=base, parameters=parameters)


def wrong(base, file="votes.csv", **parameters):
    with pytest.raises(UserError) as caught:
        of(base, file, **parameters)
    return caught.value


@pytest.mark.parametrize(
    ("parameters", "key", "sentence"),
    [
        ({"strength": 5.0}, "strength", "add it, or remove strength"),
        ({"draw": "bradley-terry", "strength": 5.0}, "strength", "draw: posterior"),
        ({"condorcet": True}, "condorcet", "add draw: posterior"),
        ({"continue": True}, "continue", "add draw: posterior"),
        ({"draw": "posterior", "unseen": "half"}, "unseen", "remove unseen"),
        ({"draw": "posterior", "strength": 0.0}, "strength", "greater than 0"),
        ({"draw": "prior"}, "draw", "posterior"),
        ({"drwa": "posterior"}, "drwa", "draw"),
    ],
)
def test_options_that_contradict_each_other(votes, parameters, key, sentence):
    error = wrong(votes, **parameters)
    assert error.key == (key,) and sentence in error.message


def test_shares_are_one_matrix_for_all_runs(votes):
    found = of(votes)
    assert not found.varies and found.drawn_by == () and found.told is None
    assert found.instance(None).P.tolist() == [[0.5, 1, 1], [0, 0.5, 0.5], [0, 0.5, 0.5]]


def test_matrices_are_drawn_by_what_determines_them(votes):
    found = of(votes, draw="posterior")
    assert found.varies and found.drawn_by == ("duelbench.sources.voted",) and found.arms == 3
    assert found.title == "votes, drawn, K = 3"


def test_identity_is_of_the_votes_and_not_of_their_file(votes):
    (votes / "other.csv").write_text(VOTES.replace("model_a,model_b,winner", "left,right,won"))
    other = of(votes, "other.csv", draw="posterior", first="left", second="right", winner="won")
    assert other.identity() == of(votes, draw="posterior").identity()
    assert of(votes, draw="posterior", ties="drop").identity() != other.identity()
    assert of(votes, draw="bradley-terry").identity()["strength"] == "infinite"


def test_votes_are_told_where_algorithms_go_on_from_them(votes):
    told = of(votes, draw="posterior", **{"continue": True}).told
    assert told.wins[0].tolist() == [0, 3, 1] and told.ties[1, 2] == 1
    with pytest.raises(UserError, match="plays with all arms") as caught:
        dataset(
            votes="votes.csv",
            base=votes,
            parameters={"draw": "posterior", "continue": True},
            submatrix={"arms": [0, 1]},
        )
    assert caught.value.key == ("submatrix",)
    (votes / "heavy.csv").write_text("first,second,winner,weight\nann,bob,ann,0.5\nbob,ann,bob,2\n")
    assert (
        "count whole votes"
        in wrong(votes, "heavy.csv", draw="posterior", weight="weight", **{"continue": True}).message
    )


def test_mistakes_in_the_file_are_said_with_their_place(votes):
    assert wrong(votes, "gone.csv", draw="posterior").key == ("votes",)
    error = wrong(votes, draw="posterior", winner="winer")
    assert "'winner'" in error.message and "votes.csv" in str(error.source)
    with pytest.raises(UserError, match="either a name, a file or votes"):
        dataset(name="sushi16", votes="votes.csv", base=votes)


def test_it_is_written_continue():
    assert validated(Voting, {"draw": "posterior", "continue": True}).continue_


def test_a_file_that_has_changed_is_read_again(votes, monkeypatch):
    monkeypatch.chdir(votes)
    before = of(votes, draw="posterior").identity()
    (votes / "votes.csv").write_text(VOTES + "ann,cy,tie\n")
    assert of(votes, draw="posterior").identity() != before
