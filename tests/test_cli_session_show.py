"""``duelbench session show``: sessions of any size, as text, as JSON and as a figure."""

import json
import math
import random

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.cli.terminal import cells
from duelbench.sessions.session import Session


def show(*arguments, width=80):
    result = CliRunner().invoke(main, ["session", "show", *map(str, arguments)], env={"COLUMNS": str(width)})
    assert result.exit_code in (0, 1), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def judged(directory, names, votes, judges=("ann", "bob", "eve"), gap=1.0, seed=1):
    """Make a session whose first arm is best; answers come late and in any order."""
    session = Session.create(directory, "d-ts", list(names), seed=seed)
    rng, waiting = random.Random(seed), []
    while len(session.votes) < votes:
        waiting += session.ask(2, judge=rng.choice(judges))
        rng.shuffle(waiting)
        while len(waiting) > 3 and len(session.votes) < votes:
            ask = waiting.pop()
            p = 1 / (1 + math.exp(gap * (names.index(ask.first) - names.index(ask.second))))
            session.tell(ask.id, "tie" if rng.random() < 0.1 else "first" if rng.random() < p else "second")
    return session


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    directory = tmp_path_factory.mktemp("sessions") / "three"
    judged(directory, ["one", "two", "three"], 90)
    return directory


def test_a_session_says_how_it_stands(three):
    text = show(three).stdout
    assert text.startswith("d-ts on 3 arms; 90 votes (")
    assert " 1* one " in text and "one is recommended, and beats most others" in text
    assert "Votes by judge: " in text and "Krippendorff's alpha" in text and "that you ask for" not in text


def test_json_has_the_numbers_of_the_text(three):
    found = json.loads(show(three, "--json", "--until", "0.5").stdout)
    assert (found["recommended"], found["votes"], found["until"], found["stop"]) == ("one", 90, 0.5, True)
    rows = found["standings"]["arms"]
    assert (rows[0]["name"], rows[0]["chance"]) == ("one", found["chance"])
    assert sum(row["votes"] for row in rows) == 180 == 2 * found["standings"]["votes"]
    assert sum(judge["votes"] for judge in found["agreement"]["judges"]) == 90
    assert f"{100 * rows[0]['chance']:.0f}" in show(three).stdout


def test_the_exit_code_says_whether_to_stop(three):
    stop, go_on = show(three, "--until", "0.4"), show(three, "--until", "0.99999")
    assert (stop.exit_code, go_on.exit_code) == (0, 1)
    assert "0.4 that you ask for is reached: you may stop" in stop.stdout
    assert "is not reached: go on" in go_on.stdout
    assert show(three).exit_code == 0


def test_by_judge_and_by_another_notion(three):
    text = show(three, "--by-judge", "--find", "borda").stdout
    assert "first shown   with the others" in text
    assert "is preferred most often with probability" in text


def test_the_figure_is_where_it_was_asked_for(three, tmp_path):
    result = show(three, "--figure", tmp_path / "f.png")
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert f"the figure is {tmp_path / 'f.png'}" in " ".join(result.stdout.split())  # a long path has its own line
    result = CliRunner().invoke(main, ["session", "show", str(three), "--figure", str(tmp_path / "f.gif")])
    assert result.exit_code == 2 and "let it end in .png" in result.stderr


@pytest.mark.parametrize("votes", [0, 1])
@pytest.mark.parametrize("names", [["a", "b"], [f"{'n' * 57}{k:03d}" for k in range(5)]], ids=["two", "long"])
@pytest.mark.parametrize("width", [60, 80])
def test_a_session_that_has_hardly_begun(tmp_path, votes, names, width):
    judged(tmp_path / "s", names, votes)
    result = show(tmp_path / "s", "--until", "0.99", width=width)
    assert max(map(cells, result.stdout.splitlines())) <= width
    assert result.exit_code == 1
    assert ("There are no votes yet" in result.stdout) == (votes == 0)
    assert f"{votes} vote{'' if votes == 1 else 's'}" in result.stdout


def test_an_arm_that_was_withdrawn_is_gone_and_its_votes_still_count(tmp_path):
    session = Session.create(tmp_path / "s", "d-ts", ["a", "b", "c"], seed=1)
    for _ in range(40):
        for ask in session.ask():
            session.tell(ask.id, "first" if ask.first < ask.second else "second", judge="ann")
    session.withdraw_arm("b")
    found = json.loads(show(tmp_path / "s", "--json").stdout)
    assert sorted(row["name"] for row in found["standings"]["arms"]) == ["a", "c"]
    assert found["standings"]["votes"] == 40
    text = show(tmp_path / "s", "--by-judge").stdout
    assert text.startswith("d-ts on 2 arms; 40 votes") and "  b  " not in text


def test_what_is_no_session_is_one_sentence(tmp_path):
    result = CliRunner().invoke(main, ["session", "show", str(tmp_path)])
    assert result.exit_code == 2 and "there is no session in" in result.stderr


@pytest.mark.slow
def test_five_hundred_arms(tmp_path):
    judged(tmp_path / "s", [f"arm-{k:03d}" for k in range(500)], 300)
    text = show(tmp_path / "s", "--figure", tmp_path / "f.png").stdout
    assert "480 more arms" in text or "479 more arms" in text
    assert max(map(cells, text.splitlines())) <= 80 or str(tmp_path) in text
