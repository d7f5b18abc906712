"""Deliberate mistakes are found by function and code. ``make mutations`` checks the list itself."""

import pytest

from tests.mutations import Selection, Source, mutations

FILES = {
    "a.py": """LIMIT = 3


class Rucb:
    alpha: float = Field(
        0.5,
        gt=0,
    )


class Rcs:
    alpha: float = Field(0.5, gt=0)


def _select(state, rng):
    if state.n > LIMIT:
        return pick(state.n, rng)
    return 0
""",
    "b.py": """class Ccb:
    def select(self):
        def inner():
            return pick(self.n)

        return inner() + LIMIT


def twice(x):
    return x + x * x10
""",
}
LIST = """What the first lines say is for readers.

== chapter
~ tests/test_a.py -k "[NAME"
> tests/test_b.py

= rucb
Rucb.select: one line becomes two
- return pick( state.n,rng )
+ state.n = 1
+ return 0
Rucb.alpha: a comma more or less
- Field(0.5, gt=0)
+ Field(0.6)
? It is positive.

> tests/test_c.py
LIMIT: a constant
- 3
+ 4

= ccb
Ccb.inner: a function in a function
- self.n
+ 0
twice: whole words
- x10
+ x
"""


def planted(name, right, wrong="0"):
    [mutation] = mutations(f"\n== chapter\n= section\n{name}: mistake\n- {right}\n+ {wrong}")
    return Source(FILES).planted(mutation)


def test_list():
    listed = mutations(LIST)
    assert [each.title for each in listed[1:3]] == ["rucb: a comma more or less", "rucb: a constant"]
    assert [each.harmless for each in listed] == [[], ["It is positive."], [], [], []]
    usual = [Selection('tests/test_a.py -k "[ccb"', True), Selection("tests/test_b.py", False)]
    assert listed[3].selections == listed[4].selections == usual
    assert listed[2].selections == [Selection("tests/test_c.py", False)]
    wrong = [Source(FILES).planted(each) for each in listed]
    assert [each.path for each in wrong] == ["a.py", "a.py", "a.py", "b.py", "b.py"]
    assert "        state.n = 1\n        return 0\n    return 0" in wrong[0].wrong
    assert "class Rucb:\n    alpha: float = Field(0.6)\n" in wrong[1].wrong
    assert wrong[2].wrong.startswith("LIMIT = 4\n")
    assert "x + x * x\n" in wrong[4].wrong
    assert all(each.right == FILES[each.path] for each in wrong)


@pytest.mark.parametrize("name", ["select", "Rucb.select", "LIMIT.select", "Renamed.select"])
def test_place(name):
    """A function is found in any file; what else is in its file matters only where a name occurs twice."""
    assert planted(name, "state.n > LIMIT").path == "a.py"


@pytest.mark.parametrize(
    ("name", "right", "wrong", "said"),
    [
        ("gone", "x", "0", "there is no gone"),
        ("twice", "y", "0", "0 places in twice read y"),
        ("twice", "x", "0", "3 places in twice read x"),
        ("select", "LIMIT", "0", "2 places in select read LIMIT"),
        ("alpha", "0.5", "0", "2 places in alpha read 0.5"),
        ("Ccb.select", "state.n", "0", "0 places in Ccb.select read state.n"),
        ("twice", "x * x10", "(", r"b.py:\d+: "),
    ],
)
def test_lost(name, right, wrong, said):
    with pytest.raises(LookupError, match=said):
        planted(name, right, wrong)
