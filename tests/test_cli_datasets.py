"""``duelbench datasets``: showing and building datasets."""

import re

import pytest

from duelbench.sources.matrix_files import load_matrix
from duelbench.votes.reading.read import read_votes
from tests.commands import here
from tests.experiments import played

# show


def test_show(tmp_path):
    shown = here("datasets", "show", "six-rankers").stdout
    assert re.search(r"Condorcet winner +0\n", shown)
    assert "0.55" in shown
    assert "3–5" in shown  # the exact tie
    (tmp_path / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert "0.7" in here("datasets", "show", tmp_path / "m.csv").stdout
    (tmp_path / "m.csv").write_text('sushi,"udon, cold"\n0.5,0.7\n0.3,0.5\n')
    shown = here("datasets", "show", tmp_path / "m.csv").stdout
    assert re.search(r"^ +1 udon, cold +0.3 +0.5", shown, re.MULTILINE)
    assert re.search(r"Condorcet winner +0 \(sushi\)\n", shown)


def test_show_run(tmp_path, monkeypatch):
    text = "horizon: 9\nruns: 2\ndatasets: [{name: sushi16, submatrix: {size: 3, per_run: true}}]\n"
    text += "algorithms: [uniform]\n"
    _, directory, _, _ = played(tmp_path, text)
    shown = [here("datasets", "show", directory / "sushi16", "--run", run).output for run in (0, 1)]
    assert all("K = 3 of 16 (run" in each and "chosen arms: " in each for each in shown)
    assert shown[0].splitlines()[2] != shown[1].splitlines()[2]
    monkeypatch.setenv("COLUMNS", "60")
    assert all(len(line) <= 60 for line in here("datasets", "show", "sushi16").output.splitlines())


# build votes, preflib and ratings


VOTES = "judge,model_a,model_b,winner\n" + "ann,x,y,model_a\nbob,y,z,tie\n" * 9 + "ann,z, Z,a\nann,x,z,model_b\n"


@pytest.fixture(autouse=True)
def yard(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.csv").write_text(VOTES)
    return tmp_path


def build(*arguments, code=0):
    done = here("datasets", "build", *arguments)
    assert done.exit_code == code, done.output
    return done.output


def test_build_votes(yard):
    printed = build("votes", "v.csv")
    assert {path.name for path in yard.iterdir()} == {"v.csv", "v-matrix.csv", "v-matrix-counts.csv"}
    assert "v.csv: 20 rows, read as model_a against model_b, outcome in winner" in printed
    assert "1 of 20 rows refused: an arm is compared with itself (v.csv:20)" in printed
    assert "v-matrix.csv: 3 arms, 19 votes" in printed
    assert "no Condorcet winner; Copeland winner: x, z. 1 of 2 pairs of x are decided at 95 %" in printed
    assert "Probability of being a Copeland winner, after these votes: x " in printed
    assert "47.4 % of the votes are ties." in printed
    matrix = load_matrix(yard / "v-matrix.csv")
    assert matrix.names == ("x", "y", "z")
    assert matrix.P.tolist() == [[0.5, 1, 0], [0, 0.5, 0.5], [1, 0.5, 0.5]]
    assert read_votes(["v-matrix-counts.csv"]).counts.digest() == read_votes(["v.csv"]).counts.digest()
    again = build("votes", "v-matrix-counts.csv", "-o", "again.npz")
    assert "19 votes" in again
    assert load_matrix(yard / "again.npz").digest() == matrix.digest()
    assert load_matrix(yard / "again.npz").names == matrix.names


def test_show_built(yard):
    build("votes", "v.csv", "-o", "m.csv")
    shown = here("datasets", "show", "m.csv").output
    assert "0 x" in shown
    assert "Copeland winners  0 (x), 2 (z)" in shown
    assert "19 votes (m-counts.csv). 1 of 2 pairs of x are decided" in shown
    assert "3 have fewer than 10: x – z (1)" in shown
    assert "Probability of being a Copeland winner, after these votes: x " in shown
    (yard / "m-counts.csv").write_text("first,second,wins_first,wins_second\nx,other,1,2\n")
    assert "m-counts.csv has votes on other arms and is ignored" in here("datasets", "show", "m.csv").output
    assert here("datasets", "plot", "m.csv").output == "m.png\n"
    assert (yard / "m.png").stat().st_size > 1_000


def test_likelier_winner(yard):
    """If there are several Copeland winners, the most probable one is described."""
    rows = "first,second,wins_first,wins_second\nx,y,51,49\ny,z,90,10\nz,x,90,10\n"
    (yard / "c.csv").write_text(rows)
    assert "Copeland winner: y, x, z. 1 of 2 pairs of y are decided" in build("votes", "c.csv", "-o", "m.csv")
    assert "1 of 2 pairs of y are decided" in here("datasets", "show", "m.csv").output


def test_vote_options(yard):
    assert "an arm is compared with itself (v.csv:20)" in build("votes", "v.csv", "--strict", code=2)
    printed = build("votes", "v.csv", "--only", "judge=Ann", "--unseen", "half")
    assert "left out by --only: 9 rows" in printed and "for which 1/2 is taken" in printed
    assert "2 arms" in build("votes", "v.csv", "-n", 2, "-o", "two.csv")
    assert "there are no votes on y and z: fill them in" in build("votes", "v.csv", "--ties", "drop", code=2)
    (yard / "a.csv").write_text(VOTES + "ann,X,y,left\nann,x,y,un-sure\n")
    printed = build("votes", "a.csv", "--outcome", "left=first")
    assert "abstentions, which are no votes, in 1 of 22 rows: 'un-sure' 1" in printed
    assert "note: 'X' (1), 'x' (10) count as the arm 'x'" in printed
    (yard / "alias.csv").write_text("name,arm\nX,X\nx,x\n")
    build("votes", "a.csv", "--outcome", "left=first", "--alias", "alias.csv", "-o", "apart.csv", "--unseen", "half")
    assert "20 votes (apart-counts.csv)" in here("datasets", "show", "apart.csv").output
    (yard / "t.csv").write_text("winner,loser\nx,y\n")
    assert "winner has won against loser" in build("votes", "t.csv", "--winner", "winner", "--loser", "loser")


def test_no_overwriting(yard):
    assert "this input file would be overwritten" in build("votes", "v.csv", "-o", "v.csv", code=2)
    (yard / "m-counts.csv").write_text("first,second,wins_first,wins_second\nx,y,1,2\n")
    assert "this input file would be overwritten" in build("votes", "m-counts.csv", "-o", "m.csv", code=2)
    assert (yard / "v.csv").read_text() == VOTES


def test_build_ballots_and_ratings(yard):
    (yard / "b.soi").write_text("# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 5\n3: 1,2\n2: 3,1,2\n")
    assert "3 arms, 9 votes" in build("preflib", "b.soi")
    assert load_matrix(yard / "b-matrix.csv").P[0].tolist() == [0.5, 1, 0]
    assert "3 arms, 15 votes" in build("preflib", "b.soi", "--unlisted", "below")
    assert load_matrix(yard / "b-matrix.csv").P[0, 2] == 0.6
    (yard / "r.csv").write_text("user,item,rating\nu,a,3\nu,b,1\nv,a,2\nv,b,2\nv,c,1\n")
    assert "read as user has rated item with rating" in build("ratings", "r.csv")
    assert load_matrix(yard / "r-matrix.csv").P[0].tolist() == [0.5, 0.75, 1]
    build("ratings", "r.csv", "--best", "smallest", "--arms", 2)
    assert load_matrix(yard / "r-matrix.csv").P[0].tolist() == [0.5, 0.25]
