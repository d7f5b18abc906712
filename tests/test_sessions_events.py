"""Events are lines, and lines events."""

import pytest

from duelbench.sessions.events import Answered, Asked, Created, Pair, Told, after, now, parsed, written

TIME = "2026-02-28T23:59:59.900+00:00"


@pytest.mark.parametrize(
    "event",
    [
        Created(
            time=TIME, duelbench="0.2.0", algorithm="rucb", parameters={"alpha": 0.5, "rule": None}, arms=["a, b", "β"],
            seed=2**70, code="x",
        ),
        Asked(time=TIME, id=3, first="a\u2028b", second='"', judge="ann", expires=TIME, again=2),
        Answered(time=TIME, id=3, answer="tie", coin="second"),
        Told(time=TIME, source="x.csv", digest="y",
             pairs=[Pair(first="a", second="b", wins=1, losses=2, ties=3, coins=0)]),
    ],
)  # fmt: skip
def test_a_line_reads_back_as_the_event(event):
    line = written(event)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert parsed(line) == event


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"1",
        b"null",
        b'{"event":"answered"}',
        b'{"time":"2026-02-28T23:59:59.900+00:00","event":"answered","id":"3","answer":"first"}',
        b'{"time":"2026-02-28T23:59:59.900+00:00","event":"answered","id":3.5,"answer":"first"}',
        b'{"time":"2026-02-28T23:59:59.900+00:00","event":"answered","id":3,"answer":"first","more":1}',
        b'{"time":"2026-02-28","event":"answered","id":3,"answer":"first"}',
        b"[" * 10_000,
    ],
)
def test_what_is_none_is_refused(line):
    with pytest.raises(ValueError, match=r"\w"):
        parsed(line)


def test_times_compare_as_texts():
    assert after(TIME, 0.1) == "2026-03-01T00:00:00.000+00:00" > TIME
    assert now() < after(now(), 1)
