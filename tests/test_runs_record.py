"""What has changed since runs were played, in words."""

from duelbench.runs.record import changes


def test_changed_code_and_libraries_are_named():
    before = {"parameters": {"alpha": 1}, "code": {"kernels.ucb": "a", "engine.play": "b", "numpy": "2.3"}}
    now = {"parameters": {"alpha": 1}, "code": {"kernels.ucb": "c", "engine.play": "b", "numpy": "2.4"}}
    assert changes(before, now) == ['numpy "2.3" → "2.4"', "code of kernels.ucb"]
