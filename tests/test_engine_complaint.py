"""numba's page about a kernel, in one sentence; all of them as mistakes are in ``test_mistakes``."""

import pytest

from duelbench.engine.complaint import NO_MEMORY, complaint

MINE = "def helper(arm):\n    return arm\n\n\ndef select(state):\n    return helper(state) + 1\n"
NESTED = """\
Failed in nopython mode pipeline (step: nopython frontend)
{cause}

File "../../h/mine.py", line 2:
def helper(arm):
    <source elided>
    ^

During: resolving callee type: type(CPUDispatcher(<function helper at 0x7f7c74689800>))
During: typing of call at /tmp/h/mine.py (6)

File "../../h/mine.py", line 6:
During: typing of call at /somewhere/duelbench/engine/play.py (108)
"""


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("NameError: name 'firts' is not defined", "NameError: name 'firts' is not defined"),
        ("NRT required but not enabled", NO_MEMORY),
        (
            "No implementation of function Function(<built-in function zeros>) found for signature:\n"
            " >>> zeros(int64)\n Only accept returning of array passed into the function as argument",
            f"zeros(int64) needs memory, and {NO_MEMORY}",
        ),
        (
            "No implementation of function Function(<function f at 0x7f>) found for signature:\n \n >>> f(int64)",
            "numba has no f(int64): it does not know this of these types",
        ),
        (
            "Untyped global name 'other': Cannot determine Numba type of <class 'function'>",
            "other is plain Python, and a kernel calls only kernels: put @kernel before it",
        ),
        (
            "Untyped global name 'breakpoint': Cannot determine Numba type of <class 'builtin_function_or_method'>",
            "to stop at a breakpoint, `duelbench run --interpreted -j 0`",
        ),
        ("\x1b[1mUnknown attribute 'x' of type int64\x1b[0m", "Unknown attribute 'x' of type int64"),
    ],
)
def test_the_innermost_line_and_the_cause(cause, sentence):
    found = complaint(ValueError(NESTED.format(cause=cause)), {"/tmp/h/mine.py": MINE})
    assert found == (sentence, "/tmp/h/mine.py", 2)


def test_without_a_line_of_the_users_it_is_where_the_name_stands_or_the_function_begins():
    texts = {"/tmp/h/mine.py": MINE}
    assert complaint(ValueError("NameError: name 'state' is not defined"), texts).line == 6
    assert complaint(ValueError("type(CPUDispatcher(<function helper at 0x7f>))"), texts).line == 1
    assert complaint(ValueError("something else"), texts).line == 5
    assert complaint(ValueError("something else"), {"/a.py": "x = 1\n"}) == ("something else", None, None)
