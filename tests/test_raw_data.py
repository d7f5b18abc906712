"""The scripts in datasets/ make the shipped matrices from raw data, and agree with values worked out by hand."""

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
        # The perfect document is clicked if shown, and is the first ranker's with probability 8/9; else nobody clicks.
        ("perfect", 1, [4, 0], 8 / 9, 1 / 2),
        # The last of two documents may be either ranker's. The user clicks document 0 with 0.95, then stops with 0.9;
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
    """Either document comes first with probability 1/2; a comparison has a standard deviation below 1/2."""
    lists = 100_000
    query = 0, np.array(grades), np.array([[2.0, 1.0], [1.0, 2.0]])
    wins = rankers.compared(query, users, interleavings=lists, cutoff=cutoff, seed=1)
    assert wins[0, 1] == pytest.approx((first_shown + second_shown) / 2, abs=4 * 0.5 / lists**0.5)
