"""``duelbench advise``: an ordinary experiment, and the advice from it."""

import doctest
import json
import re

import numpy as np
import pandas as pd
import pytest

from duelbench import Session, advise
from duelbench.votes import advice as advising
from duelbench.votes.reading.read import read_votes
from tests.commands import here


@pytest.fixture
def votes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = ["model_a,model_b,winner"]
    for _ in range(60):
        i, j = sorted(rng.choice(4, 2, replace=False).tolist())
        won = rng.choice(["model_a", "model_b", "tie"], p=[0.7, 0.2, 0.1])
        if (i, j) != (2, 3):
            rows.append(f"p{i},p{j},{won}")
    (tmp_path / "votes.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


@pytest.fixture
def undrawn(monkeypatch):
    """Draw no figure: ``test_answer`` draws one."""
    monkeypatch.setattr("duelbench.plots.drawing.draw_results", lambda results, into, formats: [])


QUICK = ("--runs", 8, "-j", 0, "--algorithms", "parwis,rucb,parwis")


def test_answer(votes):
    done = here("advise", "votes.csv", "--budget", 40, *QUICK)
    assert done.exit_code == 0, done.output
    assert "4 arms, 50 votes on 5 of 6 pairs\n" in done.output
    assert "Copeland winner, given these votes: p0" in done.output
    place = votes / "results" / "advise-votes"
    summary = pd.read_csv(place / "summary.csv")
    last = summary[summary.t == 40].set_index("algorithm").recommended_right
    right, within = done.output.split("share on which it is within 0.05")
    for label, shown in (("parwis", "parwis*"), ("rucb", "rucb")):
        line = next(line for line in right.splitlines() if line.startswith(f"  {shown} "))
        assert re.findall(r"(\d+) % \(\d+–\d+\)", line)[-1] == f"{100 * last[label]:.0f}"
        assert len(re.findall("%", line)) == 5
        near = next(line for line in within.splitlines() if line.startswith(f"  {shown} "))
        assert float(near.split()[-2]) >= round(100 * last[label])
    assert "* starts afresh" in done.output
    assert "use rucb" in done.output  # level with parwis, which learns only from its own duels
    assert (place / "identification-right.png").is_file()
    again = here("run", place / "advise.yaml", "-o", place)
    assert "runs: 0 played, 16 reused" in again.output


def test_json_and_python(votes, undrawn):
    options = ("--json", "--find", "borda", "-o", "out", "--margin", 0.1, "--ties", "keep")
    done = here("advise", "votes.csv", "--budget", 40, *QUICK, *options)
    answer = json.loads(done.stdout)
    assert answer["find"] == "borda" and answer["runs"] == 8 and answer["margin"] == 0.1
    assert sorted(each["arm"] for each in answer["now"]) == ["p0", "p1", "p2", "p3"]
    assert sum(each["best"] for each in answer["now"]) == pytest.approx(1)
    first = [each for each in answer["curve"] if each["algorithm"] == answer["best"]]
    assert [each["votes"] for each in first] == [0, 2, 8, 20, 40]
    assert [first[0]["right"], first[0]["within_margin"]] == [*answer["now"][0].values()][1:]
    afresh = {each["algorithm"]: each["starts_afresh"] for each in answer["algorithms"]}
    assert afresh == {"rucb": False, "parwis": True}
    spec = json.loads((votes / "out" / "manifest.json").read_text())["spec"]
    assert spec["find"] == "borda" and spec["regret"] == ["borda"] and spec["recommend"] == "posterior"
    options = {"budget": 40, "find": "borda", "margin": 0.1, "algorithms": ["parwis", "rucb"], "runs": 8, "jobs": 0}
    options["ties"] = "keep"
    for asked in ("votes.csv", read_votes([votes / "votes.csv"]).counts):
        found = advise(asked, **options)
        for name in ("now", "curve"):
            assert json.loads(getattr(found, name).to_json(orient="records", double_precision=15)) == answer[name]
        assert found.best == answer["best"] and not list(votes.glob("tmp*"))


def test_votes_on_one_item_are_a_group(votes, undrawn):
    """Votes on one item are dependent in a session, in its export and in ``show``; half of them say nothing new."""
    session = Session.create("live", "uniform", ["a", "b", "c"], seed=1)
    rng = np.random.default_rng(1)
    for item in range(30):
        best = rng.permutation(["a", "a", "b", "c"]).tolist()
        for judge in ("ann", "bob"):
            for ask in session.ask(2, judge, item=f"q{item}"):
                session.tell(ask.id, "first" if best.index(ask.first) < best.index(ask.second) else "second")
    effect = session.show().effect
    assert effect > 1.5
    here("session", "export", "live", "-o", "live.csv")
    said = "votes on one item depend on each other: {} votes count as an independent one\n"
    for file, group, depends in (("live", (), True), ("live.csv", (), True), ("live.csv", ("--group", "ask"), False)):
        done = here("advise", file, *group, "--budget", 5, *QUICK)
        assert "3 arms, 120 votes on 3 of 3 pairs\n" in done.stdout
        assert (said.format(f"{effect:.3g}") in done.stdout) == depends
        assert ("note: votes with the same 'ask' count as independent" in done.stderr) != depends
    assert "no column 'asks' (did you mean 'ask'" in here("rank", "live.csv", "--group", "asks").stderr
    assert "live: --only is about how to read a file" in here("advise", "live", "--only", "a=b", "--budget", 5).stderr
    table = session.table
    for ties in ("half", "drop"):
        found = advise(table, budget=5, ties=ties, algorithms=["rucb"], runs=2, jobs=0)
        assert found.effect == pytest.approx(effect)


def test_python_example(interpreted):
    assert not doctest.testmod(advising).failed


def test_before_votes(votes, undrawn):
    done = here("advise", "--arms", 4, "--budget", 20, *QUICK, "--like", "unrelated", "--find", "condorcet")
    assert done.exit_code == 0 and "8 matrices of uniform-random" in done.output and "Condorcet" in done.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--budget", "10"], "give a file of votes or, before you have any, --arms"),
        (["votes.csv", "--budget", "10", "--arms", "3"], "leave them out"),
        (["--arms", "3", "--budget", "10", "--like", "bradly-terry"], "did you mean 'bradley-terry'"),
        (["--arms", "3", "--budget", "10", "--winner", "w"], "--winner needs a file of votes"),
        (["votes.csv", "--budget", "10", "--find", "best"], "'best' is not a goal"),
        (["votes.csv", "--budget", "10", "--find", "top:4"], "the votes are on 4 arms: ask for fewer than 4 in top:K"),
    ],
)
def test_mistakes(votes, arguments, sentence):
    done = here("advise", *arguments)
    assert done.exit_code == 2 and sentence in done.output and "Traceback" not in done.output
