"""Order files like those of the SUSHI data set, and `datasets build sushi`."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.matrix_files import load_matrix
from duelbench.sources.published_matrices import TABLES
from duelbench.sources.sushi import ORDER_FILE, read_orders
from tests.commands import here

# samon, awabi, hamachi, … as in datasets/README.md, by their numbers in item set B
SHIPPED_ITEMS = [15, 14, 13, 12, 11, 9, 10, 8, 7, 4, 2, 6, 5, 3, 1, 0]


def write(path, orders, items=100):
    lines = [f"{items} 1", *(f"0 {len(order)} {' '.join(map(str, order))}" for order in orders)]
    path.write_text("\n".join(lines) + "\n")
    return path


def build(*arguments):
    return here("datasets", "build", "sushi", *arguments)


def test_order_shares(tmp_path):
    orders = read_orders(write(tmp_path / "x.order", [[2, 0, 1], [0, 1], [1, 0], [0, 3]], items=5))
    assert orders.users == 4
    assert orders.wins.tolist() == [[0, 2, 0, 1, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    # Comparisons: 5, 4, 2, 1, 0. Shares won: 3/5, 1/4, 1, 0, none.
    assert orders.top(3, "comparisons").tolist() == [2, 1, 0]
    assert orders.top(3, "popularity").tolist() == [1, 0, 2]
    assert orders.top(5, "comparisons").tolist() == [4, 3, 2, 1, 0]
    assert orders.top(5, "popularity").tolist() == [4, 3, 1, 0, 2]  # 4 and 3 are equal: the higher number first
    matrix, unknown = orders.shares(orders.top(4, "comparisons"), digits=3)  # items 3 2 1 0
    assert unknown == 2
    np.testing.assert_array_equal(
        matrix.P, [[0.5, 0.5, 0.5, 0.0], [0.5, 0.5, 1.0, 1.0], [0.5, 0.0, 0.5, 0.333], [1.0, 0.0, 1 - 0.333, 0.5]]
    )


def test_shipped_sushi(tmp_path):
    shipped = TABLES["sushi16"].matrix()
    orders = []
    for i, j in itertools.combinations(range(16), 2):
        first = round(1000 * shipped.P[i, j])
        orders += [(SHIPPED_ITEMS[i], SHIPPED_ITEMS[j])] * first
        orders += [(SHIPPED_ITEMS[j], SHIPPED_ITEMS[i])] * (1000 - first)
    for extra, item in enumerate(SHIPPED_ITEMS):  # each compared a little more often than the one before
        orders += [(item, 99), (16, item)] * extra
    write(tmp_path / ORDER_FILE, orders)
    done = build(tmp_path, "-o", tmp_path / "mine.csv")
    assert done.exit_code == 0, done.output
    assert "rows are items 15 14 13 12 11 9 10 8 7 4 2 6 5 3 1 0\n" in done.output
    assert load_matrix(tmp_path / "mine.csv").digest() == shipped.digest()
    text = [line for line in (tmp_path / "mine.csv").read_text().splitlines() if not line.startswith("#")]
    assert text == (Path(__file__).parents[1] / "datasets" / "sushi16.csv").read_text().splitlines()


def random_orders(users):
    stream = np.random.default_rng(5)
    return [stream.choice(100, 10, replace=False).tolist() for _ in range(users)]


def test_build_sushi(tmp_path, monkeypatch):
    file, target = write(tmp_path / ORDER_FILE, random_orders(200)), tmp_path / "out.npz"
    done = build(file, "--arms", 37, "--by", "popularity", "--digits", 6, "--output", target)
    assert done.exit_code == 0, done.output
    expected = read_orders(file).shares(read_orders(file).top(37, "popularity"), 6)[0]
    assert load_matrix(target).digest() == expected.digest()
    assert "pairs have no comparisons and count as ties" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.npz", ORDER_FILE]

    monkeypatch.chdir(tmp_path)
    assert build(".", "-n", 4).output.startswith("sushi4.csv: 4 of 100 items by comparisons, 200 users\n")
    assert load_matrix(Path("sushi4.csv")).arms == 4


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "begins with its number of items and 1"),
        ("100\n", 1, "begins with its number of items and 1"),
        ("5 1\n", None, "the file has no orders"),
        ("5 1\n0 2 1 0\n\n0 2 1\n", 4, "a user's line is 0, the number of items in the order, and the items"),
        ("5 1\n1 2 1 0\n", 2, "a user's line is 0"),
        ("5 1\n0\n", 2, "a user's line is 0"),
        ("5 1\n0 2 1 5\n", 2, "there is no item 5: the 5 items are numbered from 0"),
        ("5 1\n0 2 1 -1\n", 2, "there is no item -1"),
        ("5 1\n0 3 1 2 1\n", 2, "an item appears twice in this order"),
        ("5 1\n0 2 1 tuna\n", 2, "whole numbers only"),
        ("5 1\n0 2 1 0\ntoró\n", None, "this is not an order file"),
    ],
)
def test_order_errors(tmp_path, text, line, says):
    file = tmp_path / "broken.order"
    file.write_text(text)
    with pytest.raises(UserError, match=says) as caught:
        read_orders(file)
    assert (caught.value.source, caught.value.line) == (str(file), line)


def test_build_sushi_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing = build(tmp_path)
    assert missing.exit_code == 2
    assert (
        f"there is no {tmp_path / ORDER_FILE}: get the SUSHI data set from https://www.kamishima.net/sushi/"
        in missing.stderr
    )
    file = write(tmp_path / "x.order", random_orders(3))
    (tmp_path / "kept.csv").write_text("as it was")
    for arguments, says in (
        (["-n", 101, "-o", "kept.csv"], "x.order: there are 100 items to choose from: choose between 2 and 100"),
        (["-o", "kept.txt"], "a matrix is written to .csv, .npy or .npz"),
        (["-o", "nowhere/x.csv"], "nowhere/x.csv: cannot write here: No such file or directory"),
    ):
        failed = build(file, *arguments)
        assert (failed.exit_code, failed.stderr.count("\n")) == (2, 1)
        assert says in failed.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.csv", "x.order"]
    assert (tmp_path / "kept.csv").read_text() == "as it was"
