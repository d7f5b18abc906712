"""What is seen of a class before it is played; most of it as mistakes in ``test_mistakes``."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find
from duelbench.errors import UserError
from duelbench.runs.trial.contract import check_class, check_state
from tests.mistakes import KERNELS, PLAIN


def found(tmp_path, text):
    (tmp_path / "mine.py").write_text(text)
    return find("mine.py:Mine", tmp_path), str(tmp_path / "mine.py")


@pytest.mark.parametrize("text", [KERNELS, PLAIN])
def test_nothing_is_wrong_with_a_class_as_it_should_be(tmp_path, text):
    kind, file = found(tmp_path, text)
    check_class(kind, file)
    check_state(kind, kind().start(4, 100), kind.compiled(), file)


def test_plain_python_may_keep_what_it_likes(tmp_path):
    kind, file = found(tmp_path, PLAIN.replace("    State = Counts\n", ""))
    check_class(kind, file)
    check_state(kind, {"wins": []}, False, file)
    with pytest.raises(UserError, match="start has returned nothing"):
        check_state(kind, None, False, file)


def test_arguments_may_have_other_names_and_defaults(tmp_path):
    other = KERNELS.replace("state, t, last, rng", "s, now, end, random, more=1").replace("state.", "s.", 2)
    check_class(*found(tmp_path, other.replace("(s.arms, rng)", "(s.arms, random)")))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        (
            "State = Counts",
            "State = Counts\n    sequential = 1",
            "sequential = 1",
            "sequential is True or False, not 1",
        ),
        ("State = Counts", "State = Counts\n    citation = None", "citation = None", "citation is text, not None"),
        ('name = "mine"', 'name = ""', "name = ", "the name of an algorithm is text"),
        ("patience: int", "horizons: int", "horizons", "a spec has a key 'horizons' of its own"),
        ("    select = staticmethod(select)", "    select: ClassVar = 3", "select: C", "select must be a function"),
    ],
)
def test_the_line_of_the_attribute_is_named(tmp_path, old, new, line, said):
    text = KERNELS.replace(old, new).replace("import NamedTuple", "import ClassVar, NamedTuple")
    with pytest.raises(UserError) as caught:
        check_class(*found(tmp_path, text))
    assert caught.value.message.startswith(said)
    assert line in text.splitlines()[caught.value.line - 1]


def test_another_state_than_the_one_that_was_promised(tmp_path):
    kind, file = found(tmp_path, KERNELS)
    other = type("Other", (kind.State,), {})
    with pytest.raises(UserError, match="start has returned a Other, but State is Counts"):
        check_state(kind, other(2, np.zeros(2), np.zeros(1)), True, file)
