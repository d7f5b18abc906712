"""Games in PGN: tags, comments and results, and the pairs with colours reversed, wherever a game stands in its file."""

import random
from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.votes.reading.read import read_votes


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(text):
    Path("v.pgn").write_text(text, encoding="utf-8")
    return read_votes("v.pgn")


def game(moves="", **tags):
    return (
        "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{moves or tags.get('Result', '*')}\n\n"
    )


def said(votes):
    counts = votes.counts
    return f"{counts.wins[0, 1]:g}:{counts.wins[1, 0]:g}:{counts.ties[0, 1]:g}"


X = {"White": "x", "Black": "y"}


@pytest.mark.parametrize(
    ("text", "counts", "notes"),
    [
        (game(**X, Result="1-0") + game(**X, Result="*"), "1:0:0", 0),
        (game('1. e4 {\n[White "f"]\n[Result "0-1"]\n} e5 1-0', **X, Result="1-0"), "1:0:0", 0),
        (game("1. e4 {0-1} ; 0-1\n% 0-1\n1/2-1/2 {1-0}", **X), "0:0:1", 1),
        (game("1. e4 0-1", **X, Result="1-0"), "1:0:0", 1),
        ("% first\n; second {\n" + game(**X, Result="1-0"), "1:0:0", 0),
        ('{a} [White "x"] [Black "y"]\n[Result "0-1"] {b}\n\n0-1\n', "0:1:0", 0),
        ('[White "x"]\n\n[Black "y"]\n[Result "1-0"]\n\n[White "y"]\n[Black "x"]\n[Result "1-0"]\n', "1:1:0", 0),
        (game(**X, Event="a; b {c}", Result="1-0"), "1:0:0", 0),
        ('[White "x"]\n{as in [White "z"]}\n[Black "y"]\n[Result "1-0"]\n\n1-0\n', "1:0:0", 0),
        (game(**X, Result="1-0", Count="3", Draw="1", Group="A", Judge="j"), "1:0:0", 0),
    ],
)
def test_games(text, counts, notes):
    votes = read(text)
    assert said(votes) == counts
    assert sum("games" in each and "independent" not in each for each in votes.warnings) == notes


def test_games_that_are_refused():
    votes = read(game("1. e4 1-0\n1. d4 0-1", **X) + game(**X, Result="1-0"))
    assert said(votes) == "2:0:0" and votes.refused[0].places == ("v.pgn:5",)
    for text, line, says in (
        (game("1. e4 {\n1-0", **X), 4, "the comment that begins here does not end"),
        ('[White "x"]\n[White "y"]\n', 2, "a second tag White"),
    ):
        with pytest.raises(UserError, match=says) as caught:
            read(text)
        assert caught.value.line == line


def pairs(number, key, engines=("x", "y", "z")):
    """Return pairs of games with colours reversed: the number of each game's pair, and the game with the key's tags."""
    found = []
    for pair in range(number):
        one, two = random.Random(pair).sample(engines, 2)
        for place, (white, black) in enumerate(((one, two), (two, one))):
            found.append((pair, game(White=white, Black=black, Result="1-0", **key(pair, place))))
    return found


KINDS = {
    "Round": lambda pair, place: {"Round": pair, "Opening": "one"},
    "Round before its last point": lambda pair, place: {"Round": f"{pair}.{place}", "FEN": "f"},
    "FEN": lambda pair, place: {"Round": 2 * pair + place, "FEN": f"f{pair}", "Event": place},
    "Opening": lambda pair, place: {"Round": "?", "Opening": f"o{pair}"},
    "": lambda pair, place: {"Round": 1, "Opening": f"o{pair % 5}"},
    " ": lambda pair, place: {"Round": 2 * pair + place},
}


def test_games_of_one_colour_are_no_pair():
    votes = read("".join(game(White="x", Black="y", Result="1-0", Round=number // 2) for number in range(40)))
    assert len(set(votes.table.group)) == 40


@pytest.mark.parametrize("told_by", KINDS)
def test_pairs(told_by):
    """The same pairs are found in any order of the games; tags that do not identify pairs are not used."""
    found = pairs(40, KINDS[told_by])
    for seed in range(6):
        random.Random(seed).shuffle(found)
        votes = read("".join(text for _, text in found))
        groups = votes.table.group.tolist()
        same = [groups[a] == groups[b] for a in range(80) for b in range(a)]
        right = [found[a][0] == found[b][0] and bool(told_by.strip()) for a in range(80) for b in range(a)]
        assert same == right
        note = f"40 groups of 80 games: pairs with colours reversed, by {told_by}"
        assert votes.warnings[0] == "v.pgn: " + (
            note
            if told_by.strip()
            else "no tag says which games are pairs with colours reversed: all are taken as independent"
        )
