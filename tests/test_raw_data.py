"""The scripts in datasets/ that make matrices from raw data: the shipped ones follow, and values worked out by hand."""

import itertools
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest

from duelbench import matrix
from tests.comparison import ROOT


def script(name):
    spec = spec_from_file_location(f"script_{name}", ROOT / "datasets" / f"{name}.py")
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


sushi, rankers = script("sushi"), script("rankers")

# samon, awabi, hamachi, … as in datasets/README.md, by their numbers in item set B
SHIPPED_ITEMS = [15, 14, 13, 12, 11, 9, 10, 8, 7, 4, 2, 6, 5, 3, 1, 0]


def write_orders(path, orders, items=100):
    lines = [f"{items} 1", *(f"0 {len(order)} {' '.join(map(str, order))}" for order in orders)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_orders(tmp_path):
    wins = sushi.counts(write_orders(tmp_path / "x.order", [[2, 0, 1], [0, 1, 3], [1, 0, 2]], items=5))
    assert wins.tolist() == [[0, 2, 1, 1, 0], [1, 0, 1, 1, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    items = sushi.most_compared(wins, 4)  # with 2, 4, 6 and 6 comparisons
    assert items.tolist() == [3, 2, 1, 0]
    third = 0.333
    np.testing.assert_allclose(
        sushi.shares(wins, items),
        [[0.5, 0.5, 0, 0], [0.5, 0.5, 0.5, 0.5], [1, 0.5, 0.5, third], [1, 0.5, 1 - third, 0.5]],
    )


def test_shipped_sushi(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shipped = matrix("sushi16").P
    orders = []
    for i, j in itertools.combinations(range(16), 2):
        first = round(1000 * shipped[i, j])
        orders += [(SHIPPED_ITEMS[i], SHIPPED_ITEMS[j])] * first
        orders += [(SHIPPED_ITEMS[j], SHIPPED_ITEMS[i])] * (1000 - first)
    for extra, item in enumerate(SHIPPED_ITEMS):  # each compared a little more often than the one before
        orders += [(item, 99), (16, item)] * extra
    sushi.main([str(write_orders(tmp_path / "x.order", orders))])
    assert capsys.readouterr().out == "sushi16.csv: rows are items 15 14 13 12 11 9 10 8 7 4 2 6 5 3 1 0\n"
    shipped = (ROOT / "datasets" / "sushi16.csv").read_text().splitlines(keepends=True)
    assert (tmp_path / "sushi16.csv").read_text() == "".join(line for line in shipped if line[0] != "#")


@pytest.mark.parametrize(
    ("users", "cutoff", "grades", "first_shown", "second_shown"),
    [
        # The first ranker prefers document 0, and the second one document 1: 8/9 and 1/9 of their weights.
        # The perfect document is clicked if it is shown, and is the first ranker's with 8/9; else nobody clicks.
        ("perfect", 1, [4, 0], 8 / 9, 1 / 2),
        # Of two documents the last one is anybody's. The user clicks document 0 with 0.95 and stops then with 0.9, and
        # document 1 with 0.7 and 0.7. Both clicks are the first ranker's with 8/9 · 1/2 or 1/9 · 1/2, one with 1/2.
        (
            "navigational",
            2,
            [4, 3],
            0.95 * (0.9 * 8 / 9 + 0.1 * (0.7 * (4 / 9 + 1 / 4) + 0.3 * 8 / 9)) + 0.05 / 2,
            0.7 * (0.7 / 9 + 0.3 * (0.95 * (1 / 18 + 1 / 4) + 0.05 / 9)) + 0.3 / 2,
        ),
    ],
)
def test_interleaving(users, cutoff, grades, first_shown, second_shown):
    """Either document comes first with 1/2. The deviation of one comparison is less than 1/2."""
    lists = 100_000
    query = 0, np.array(grades), np.array([[2.0, 1.0], [1.0, 2.0]])
    wins = rankers.compared(query, users, interleavings=lists, cutoff=cutoff, seed=1)
    assert wins[0, 1] == pytest.approx((first_shown + second_shown) / 2, abs=4 * 0.5 / lists**0.5)


def test_equal_values():
    """Rankers that know nothing rank in random order: over many queries nobody is better."""
    assert {
        rankers.compared((number, np.array([4, 0]), np.ones((2, 2))), "perfect", 1, 1)[0, 1] for number in range(40)
    } >= {1 / 9, 1 / 2, 8 / 9}


LETOR = """\
2 qid:10 1:0.5 2:-1e-3 3:7 #docid = GX000-00-0000000 inc = 1
0 qid:10 1:0 2:4 3:0.25
1 qid:7 1:2 3:1
"""


def test_queries(tmp_path):
    (tmp_path / "a.txt").write_text(LETOR)
    (tmp_path / "b.txt").write_text("0 qid:7 4:1\n")
    found = list(rankers.queries([tmp_path / "a.txt", tmp_path / "b.txt"], top_grade=2))
    assert [(number, grades.tolist(), features.tolist()) for number, grades, features in found] == [
        (0, [4, 0], [[0.5, -0.001, 7, 0], [0, 4, 0.25, 0]]),
        (1, [2], [[2, 0, 1, 0]]),
        (2, [0], [[0, 0, 0, 1]]),
    ]
    with pytest.raises(SystemExit, match="grades must be 0 to 1"):
        list(rankers.queries([tmp_path / "a.txt"], top_grade=1))


def test_matrix_of_rankers(tmp_path):
    """Feature 1 has the grades, 2 their opposites, 3 is noise; threads do not change the numbers."""
    rng = np.random.default_rng(4)
    lines = [
        f"{grade} qid:{query} 1:{grade} 2:{-grade} 3:{rng.normal():.4f}\n"
        for query in range(30)
        for grade in rng.integers(0, 5, 12)
    ]
    (tmp_path / "train.txt").write_text("".join(lines))
    for name in ("one.csv", "two.csv"):
        rankers.main([str(tmp_path / "train.txt"), "--users", "informational", "-o", str(tmp_path / name)])
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    P = matrix(tmp_path / "one.csv").P
    assert P[0, 1] > P[0, 2] > 0.5 and P[2, 1] > 0.5
