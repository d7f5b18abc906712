"""What a cell is, whatever kind of file it comes from."""

import pytest

from duelbench.sources.votes.rows import as_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(" a ", " a "), (None, ""), (True, "true"), (1, "1"), (0.5, "0.5"), ([1], None), ({}, None), ((), None)],
)
def test_a_plain_value_is_a_text_and_a_structure_is_none(value, text):
    assert as_text(value) == text
