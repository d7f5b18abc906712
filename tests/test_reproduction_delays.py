"""What delays do to the regret."""

from duelbench.reproduction import delays
from duelbench.reproduction.measures import Library
from tests.measured import write


def test_robustness_compares_datasets(tmp_path):
    means = {("d-delay=1", "a"): 10, ("d-delay=10", "a"): 15, ("d-delay=99", "a"): 31, ("d-delay=50", "a"): 20.2}
    others = {("d-delay=1", "b"): 10, ("d-delay=10", "b"): 40, ("d-delay=99", "b"): 40}
    cells = {key: {"mean": mean} for key, mean in (means | others).items()}
    write(tmp_path, "late", cells, datasets=tuple(dataset for dataset, _ in means))
    library = Library(tmp_path)
    assert delays.robust("late", "a", (10,), 2, "d")(library).agrees is True
    assert delays.robust("late", "a", (10, 99), 2, "d")(library).agrees is False
    assert delays.robust("late", "a", (10, 50), 2, "d")(library).agrees is None
    assert delays.hardier("late", "a", "b", 10, 0.5, "d")(library).agrees is True
    assert delays.hardier("late", "a", "b", 99, 0.5, "d")(library).agrees is False
