"""The list of deliberate mistakes applies to the current source."""

import ast

import pytest

from tests.mutations import LIST, ROOT, mutations

ALL = mutations(LIST.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", sorted({each.file for each in ALL}))
def test_apply(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    for mutation in ALL:
        if mutation.file == file:
            wrong = mutation.planted_in(text)
            assert wrong != text, mutation.title
            ast.parse(wrong)


def test_titles():
    titles = [each.title for each in ALL]
    assert len(titles) == len(set(titles)) >= 260


def test_selections():
    named = {word for each in ALL for tests, _ in each.selections for word in tests.split() if word.endswith(".py")}
    assert all((ROOT / name).is_file() for name in named)
    assert all(each.selections for each in ALL)
