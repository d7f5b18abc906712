"""What was noticed of changes: by hand."""

import pytest

from duelbench.runs.detection import noticed

BEGINS = [1, 101, 201, 301]


@pytest.mark.parametrize(
    ("detections", "t", "expected"),
    [
        ([], 100, (0, 0, 0, None)),
        ([], 200, (0, 0, 0, None)),  # the second piece may still be noticed
        ([], 201, (0, 1, 0, None)),
        ([], 400, (0, 3, 0, None)),  # and the last until the end
        ([], 399, (0, 2, 0, None)),
        ([100], 400, (0, 3, 1, None)),  # before any change
        ([101], 400, (1, 2, 0, 1.0)),
        ([200], 400, (1, 2, 0, 100.0)),
        ([120, 140], 400, (1, 2, 1, 20.0)),  # twice in a piece
        ([120, 201, 400], 400, (3, 0, 0, (20 + 1 + 100) / 3)),
        ([120, 201, 400], 150, (1, 0, 0, 20.0)),
        ([120, 201, 400], 119, (0, 0, 0, None)),
    ],
)
def test_noticed(detections, t, expected):
    assert noticed(BEGINS, detections, t, 400) == expected


def test_where_nothing_changes_all_are_false_alarms():
    assert noticed([1], [5, 9, 400], 300, 400) == (0, 0, 2, None)
