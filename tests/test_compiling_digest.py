"""Which edits of a source are edits of its code."""

import pytest

from duelbench.compiling.digest import code_digest

SOURCE = '''"""A module."""

import math

LIMIT = 3
"""What is meant by it."""


def area(radius: float, half: bool = False) -> float:
    """Return the area of a circle."""
    # half of it on demand
    factor = 0.5 if half else 1.0
    return factor * math.pi * radius**2


class Shape:
    """A shape."""

    name = "circle"  # a string that counts

    def shown(self, width: int) -> str:
        return f"{self.name:>{width}} of {math.pi:.3f}" + ""
'''


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A module.", "Another module."),
        ('"""A module."""\n', ""),
        ("What is meant by it.", "Something else."),
        ("Return the area of a circle.", "Say how large it is.\n\n    Line by line."),
        ("# half of it on demand", "# and that is it"),
        ("    # half of it on demand\n", "\n\n"),
        ("  # a string that counts", ""),
        ("factor * math.pi * radius**2", "(factor * math.pi) * (radius ** 2)"),
    ],
)
def test_words_and_layout_do_not_count(before, after):
    assert before in SOURCE
    assert code_digest(SOURCE.replace(before, after)) == code_digest(SOURCE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("half: bool = False", "half: bool = True"),
        ("0.5 if half", "0.5 if not half"),
        ("factor * math.pi * radius**2", "factor * (math.pi * radius**2)"),
        ("factor * math.pi", "factor / math.pi"),
        ('"circle"', '"square"'),
        ("return factor", "factor"),
    ],
)
def test_code_counts(before, after):
    assert before in SOURCE
    assert code_digest(SOURCE.replace(before, after)) != code_digest(SOURCE)


def test_constants_that_are_written_alike_in_a_tree_differ():
    sources = ["x = None", "x = ...", "x = 0", "x = False", "x = ''", "x = b''", "x = 'None'", "x = ()", "x = []", "x"]
    assert len({code_digest(source) for source in sources}) == len(sources)


def test_the_digest_is_that_of_every_python():
    """Written down under Python 3.11: another one must find the same, or results would be stale for it."""
    assert code_digest(SOURCE) == "f1361b801fd01940"


def test_what_is_no_python_is_digested_as_text():
    assert code_digest("def broken(:") != code_digest("def broken(:  ")
