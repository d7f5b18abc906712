"""The way of a spec to its results in duelbench/README.md is the one that a run takes."""

import inspect
import re
import sys
from importlib import import_module

from duelbench.experiment.backends import local
from duelbench.experiment.execute import execute
from tests.experiments import nothing, planned
from tests.pages import blocks

PAGE = "duelbench/README.md"
MOST_CLASSES = 10
TEXT = "horizon: 30\nruns: 2\ndatasets: [cyclic4]\nalgorithms: [rucb]\n"
AFTERWARDS = ("summary", "drawing")
"""The modules of the way that come after the file of a run."""


def way():
    """Return (module, what it has, the rest of the line) of the lines on the way."""
    text = next(text for _, text in blocks("", [PAGE]) if "make_plan: Spec" in text)
    lines = [re.fullmatch(r"(\S+)\.py +(\w+): (.*)", line) for line in text.splitlines()]
    return [(import_module(f"duelbench.{line[1].replace('/', '.')}"), line[2], line[3]) for line in lines]


def test_the_way_has_fifteen_lines_and_everything_is_where_it_says():
    assert len(way()) == 15
    for module, name, _ in way():
        assert hasattr(module, name), (module.__name__, name)


def calls_of(function, *arguments):
    """Return the functions that a call enters, by (module, name), with their place in the order of the first time."""
    found = {}

    def note(frame, event, _):
        if event == "call":
            found.setdefault((frame.f_globals.get("__name__"), frame.f_code.co_qualname), len(found))

    sys.setprofile(note)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return found


def play(base):
    execute(planned(base, TEXT), base / "out", local(0), announce=nothing, progress=nothing)


def test_a_run_takes_this_way(tmp_path, interpreted):
    """It enters the functions and classes of the page, each for the first time after those before it."""
    entered = calls_of(play, tmp_path)
    steps = [
        (module.__name__, name)
        for module, name, _ in way()
        if name not in ("command", "check_place", "try_out", "draw_results")  # a test has no command, and draws nothing
    ]
    first = [
        min((place for (where, called), place in entered.items() if where == module and called.split(".")[0] == name))
        for module, name in steps
    ]
    assert first == sorted(first), [step for _, step in sorted(zip(first, steps, strict=True))]


def test_at_most_ten_classes_between_the_spec_and_its_files():
    """Each class that the page names is known to the module of its line."""
    named = set()
    for module, name, rest in way():
        if not module.__name__.endswith(AFTERWARDS):
            words = re.findall(r"\b[A-Z][a-z]\w+", f"{name} {rest}")
            assert all(inspect.isclass(getattr(module, word, None)) for word in words), (module.__name__, words)
            named |= {*words}
    assert len(named) == MOST_CLASSES
