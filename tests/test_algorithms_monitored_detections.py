"""The rounds after which an algorithm has begun anew."""

from duelbench.algorithms.monitored.detections import ROOM, no_detections, note, noted


def test_the_first_are_remembered():
    detections = no_detections()
    assert noted(detections).tolist() == []
    for t in range(1, ROOM + 3):
        note(detections, 10 * t)
    assert noted(detections).tolist() == list(range(10, 10 * ROOM + 1, 10))
