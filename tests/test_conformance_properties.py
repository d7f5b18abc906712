"""Every property is seen to fail on a mistake made for it, and none fails without one."""

import pytest

from duelbench.conformance import statistics
from duelbench.conformance.claims import Case, CheckFailed, NotApplicable
from duelbench.conformance.instances import USUAL
from duelbench.conformance.properties import PROPERTIES
from tests.proved import EXPLORER, MISTAKES, PLAIN, toy

INSTANCES = {name: USUAL[name] for name in ("cyclic4", "order of 4")}


@pytest.mark.parametrize("name", PROPERTIES)
def test_what_is_right_does_not_fail(name, tmp_path):
    case = Case(toy(tmp_path, PLAIN), {"order of 4": USUAL["order of 4"]}, None, 0.2)
    if name in ("declaration", "any duel", "fast = literal"):
        with pytest.raises(NotApplicable):
            PROPERTIES[name](case)
    else:
        assert PROPERTIES[name](case)


@pytest.mark.parametrize("seconds", [0.3, pytest.param(8.0, marks=pytest.mark.slow)])
def test_right_holds_that_draw_do_not_fail(seconds, tmp_path):
    case = Case(toy(tmp_path, EXPLORER), INSTANCES, None, seconds)
    assert "more or fewer duels of different arms" in PROPERTIES["stepping = holding"](case)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_seen(mistake, tmp_path, monkeypatch):
    runs = 1024 if mistake.name == "not exact at small t" else 128  # whatever time that takes
    monkeypatch.setattr(statistics, "FEWEST", runs)
    case = Case(toy(tmp_path, mistake.text), INSTANCES, None, 0.0)
    with pytest.raises((CheckFailed, ZeroDivisionError)) as error:
        PROPERTIES[mistake.property](case)
    assert mistake.said in str(error.value)


def test_every_property_that_can_be_has_a_mistake():
    assert {mistake.property for mistake in MISTAKES} == PROPERTIES.keys() - {"fast = literal"}
