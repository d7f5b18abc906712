"""The words that mean something in files of votes: the page lists them, and well-known files are read without notes."""

import json
import re
import shutil
import subprocess

import pytest

from duelbench.votes.reading import read_votes, terms
from duelbench.votes.reading.options import Columns
from duelbench.votes.reading.outcomes import NOTATIONS
from tests.pages import blocks, code_in, rows, text_of

PAGE = "datasets/README.md"


def flat(pairs):
    return [word for pair in pairs for word in pair]


def test_page_of_words():
    expected = {
        "marks of the two sides": flat(terms.MARKS.values()),
        "an arm, with a mark (which may stand alone)": terms.ARMS,
        "may stand beside these": terms.LABELS,
        "what was compared, if no arms are named": terms.CONTENTS,
        "the outcome": terms.OUTCOMES,
        "its number, after a word for the winner": terms.INDEXES,
        "winner and loser, as marks": flat(terms.WON),
        "flags or numbers of votes, with marks": terms.WINS,
        "scores, with marks": terms.SCORES,
        "a tie, as a flag or a number": (*terms.TIES, *terms.EQUAL),
        "the judge": terms.JUDGES,
        "the ranking of a row": terms.GROUPS,
        "what was judged, where rows repeat it (a note)": terms.QUESTIONS,
        "user, item and value of a rating": (*terms.USERS, *terms.ITEMS, *terms.VALUES),
        "number of votes of a row (a note)": (*terms.WEIGHTS, *terms.COUNTABLE),
        "how the arms were shown (a note)": terms.ORDERS,
    }
    found = {meaning: code_in(words) for meaning, words in rows(PAGE, "Words in names of columns")}
    assert found == {meaning: list(words) for meaning, words in expected.items()}
    listed = [line[2:-1] for line in text_of(PAGE).splitlines() if line.startswith("* ")]
    meanings = [each.meaning for each in NOTATIONS]
    assert meanings == [line for line in listed if line in meanings]


def test_headers_on_the_page():
    """Each example of headers is recognised."""
    for _, headers, _ in rows(PAGE, "Columns of vote files"):
        for example in headers.split(";"):
            header = code_in(example)
            assert set(Columns().layout(header).columns) <= set(header)


@pytest.mark.parametrize(
    ("header", "used"),
    [
        (
            "id,model_a,model_b,winner,evaluation_session_id,evaluation_order,conversation_a,conversation_b,"
            "full_conversation,conv_metadata,category_tag,language,is_code,timestamp",
            "winner",
        ),
        ("instruction,output_1,generator_1,output_2,generator_2,dataset,annotator,preference", "preference"),
        ("Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR,Referee,HS,AS,HST,AST,HF,AF,HC,AC,B365H", "FTR"),
        ("Country,League,Season,Date,Time,Home,Away,HG,AG,Res,PH,PD,PA", "Res"),
        ("date,home_team,away_team,home_score,away_score,tournament,city,country,neutral", "home_score"),
        (
            "tourney_id,surface,draw_size,match_num,winner_id,winner_seed,winner_name,winner_rank,loser_id,loser_name,"
            "loser_rank,score,best_of,round,minutes,w_ace,l_ace",
            "winner_name",
        ),
        ("Event,Site,GameId,White,Black,Result,WhiteElo,BlackElo,UTCDate,UTCTime,ECO,Opening,Termination", "Result"),
        ("id,rated,created_at,turns,victory_status,winner,white_id,white_rating,black_id,black_rating,moves", "winner"),
        (
            "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID",
            "rankingID",
        ),
        ("first,second,winner,judge,asked,answered,ask,coin,used", "winner"),
        ("annotation_id,annotator,created_at,id,model_a,model_b,pw,text1,text2", "pw"),
        ("prompt,chosen,rejected,chosen-model,rejected-model,chosen-rating,rejected-rating", "chosen-model"),
        ("prompt,response_0,response_1,response_0_source,response_1_source,better_response_id", "better_response_id"),
    ],
)
def test_well_known_files(header, used):
    names = header.split(",")
    layout = Columns().layout(names)
    assert used in (*layout.columns, Columns().group_in(names))
    assert list(Columns().unused(names, layout, counts=False)) == []


GAMES = [{"winner": "white", "status": "mate"}, {"winner": "black"}, {"status": "draw"}, {"status": "aborted"}]
PLAYERS = {"white": {"user": {"name": "x"}}, "black": {"user": {"name": "y"}}}
MODELS = {"model_a": "x", "model_b": "y", "model1": "x", "model2": "y"}
SELECTED = [
    {"completed_by": 1, "result": [{"type": "pairwise", "value": {"selected": side}}]} for side in ("left", "right")
]
ANSWERS = [{"value": side, "user_id": "u"} for side in ("response_a", "response_b")]
EXPORTS = {
    "export.json": json.dumps([{"data": MODELS, "annotations": SELECTED}]),
    "records.json": json.dumps([{"metadata": MODELS, "responses": {"preference": ANSWERS}}]),
    "games.ndjson": "\n".join(json.dumps({"players": PLAYERS, **game}) for game in GAMES),
}


@pytest.mark.parametrize("text", [text for _, text in blocks("", [PAGE]) if "jq -c" in text])
def test_conversions(text, tmp_path):
    """The commands on the page convert exports to files that are read: a win of each and, of games, a tie."""
    if not shutil.which("jq"):
        pytest.skip("needs jq")
    for name, content in EXPORTS.items():
        (tmp_path / name).write_text(content)
    subprocess.run(text, shell=True, cwd=tmp_path, check=True)
    for name in re.findall(r"> (votes\.\w+)", text):
        counts = read_votes([tmp_path / name]).counts
        assert (counts.names, counts.wins.tolist()) == (("x", "y"), [[0, 1], [1, 0]])
        assert counts.ties[0, 1] == ("games" in text)
