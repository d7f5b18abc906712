"""Text for users has none of the phrases that reviews found hard to read."""

import ast
import re

import pytest

from tests.comparison import ROOT
from tests.pages import READMES, text_of

BANNED = re.compile(
    r"\b(is told|are told|told apart|told from|what there is|who is|as many as may be|of one's own|sees to it|see to it"
    r"|is none of|that there may be|hears of|of a sudden|begun anew"
    r"|not told|told it|be told from|which of them are|that are there|what is not there|as it says|who beats whom"
    r"|read alike|has no place on|there is none to be had|there is to see|are said to be|what is like it|of then|of now"
    r"|over so many)\b"
)


def found_in(text):
    return BANNED.findall(" ".join(text.split()))


@pytest.mark.parametrize("page", READMES)
def test_pages(page):
    assert found_in(text_of(page)) == []


def strings(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_docstrings_and_messages():
    files = sorted((ROOT / "duelbench").rglob("*.py"))
    assert [(str(path), phrase) for path in files for text in strings(path) for phrase in found_in(text)] == []
