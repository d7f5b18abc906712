"""One run leaves nothing behind."""

import gc

import numpy as np

from duelbench.runs.run import play_run
from tests.experiments import planned


def test_playing_leaks_no_memory(tmp_path):
    """Every run has generators of its own, and compiled code gives them back."""
    (series,) = planned(tmp_path, "horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform]\n").series
    play_run(series, 1, 0)
    gc.collect()
    gc.freeze()  # what other tests have left is neither looked at again nor counted
    try:
        for run in range(20):
            play_run(series, 1, run)
        gc.collect()
        assert sum(type(each) is np.random.Generator for each in gc.get_objects()) == 0
    finally:
        gc.unfreeze()


def test_arms_between_which_no_rule_tells_are_recommended_at_random(tmp_path):
    """Also where arms are not renumbered, so that the first is none too often right."""
    text = "horizon: 3\nruns: 1\nregret: condorcet\nshuffle_arms: false\ndatasets: [six-rankers]\nrecommend: copeland\n"
    (series,) = planned(tmp_path, text + "algorithms: [sparring]\n").series
    first = [play_run(series, 1, run)[0].recommended for run in range(200)]
    self_duels = [each.arm for each in first if each.votes == 0]
    counts = np.bincount(self_duels, minlength=6)
    assert len(self_duels) > 20
    assert counts.max() < 0.5 * counts.sum()


def test_to_declare_that_there_is_no_winner_is_right_where_there_is_none(tmp_path):
    """With so large an h that some runs find none where there is one."""
    (tmp_path / "circle.csv").write_text("0.5,0.9,0.1\n0.1,0.5,0.9\n0.9,0.1,0.5\n")
    (tmp_path / "line.csv").write_text("0.5,0.6,0.6\n0.4,0.5,0.6\n0.4,0.4,0.5\n")
    text = "horizon: 100\nruns: 1\nregret: [copeland, borda]\ndatasets: [{file: circle.csv}, {file: line.csv}]\n"
    text += "algorithms: [{name: nts, h: 0.49, alpha: 0.9, beta: 0.9}]\n"
    in_circle, in_line = (
        [play_run(series, 1, run)[-1].declared for run in range(40)] for series in planned(tmp_path, text).series
    )
    for found in in_circle, in_line:  # in the circle all have the same score, but none is the Condorcet winner
        assert {right for _, right in found} == {(True, True), (False, False)}
        assert 0.1 < np.mean([right[0] for _, right in found]) < 0.99


def test_votes_that_came_before_are_told_in_the_numbering_of_the_run(tmp_path):
    """With a single vote more, the arm that has won nearly all is named, wherever it is; without them it is not."""
    votes = ["first,second,winner", *["c,a,c"] * 30, *["c,b,c"] * 30, *["a,b,tie"] * 31, *["d,a,a"] * 5, *["d,c,c"] * 5]
    (tmp_path / "votes.csv").write_text("\n".join([*votes, "b,d,tie"]))
    text = (
        "budget: 1\nruns: 1\nrecommend: copeland\nalgorithms: [uniform]\ndatasets: [{votes: votes.csv, draw: posterior"
    )
    for more, sure in ((", continue: true", True), ("", False)):
        (series,) = planned(tmp_path, f"{text}{more}}}]\n").series
        named = {play_run(series, 1, run)[0].recommended.arm for run in range(40)}
        assert (named == {2}) is sure
