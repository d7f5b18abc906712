"""Rows of the catalogue's table (catalogue.py): algorithms that learn the order of all arms, or the best of them."""

from tests.rows import TIED, Row, Runs, everywhere, to_the_winner

ROWS = {
    "mallows-mpr": Row(
        "mallows-mpr", {}, (everywhere(1000), to_the_winner(), Runs(("order of 9", "order of 16"), 3000))
    ),
    "mallows-mpr, rash": Row("mallows-mpr", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500, 3))),
    "probe-rank": Row("probe-rank", {}, (everywhere(2000), to_the_winner(), Runs(("arithmetic8", "tennis8"), 5000))),
    "probe-rank, rash": Row(
        "probe-rank", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500, 3), Runs(("btl",), 6000))
    ),
    "probe-rank-se": Row("probe-rank-se", {}, (everywhere(2000), to_the_winner())),
    "probe-rank-se, rash": Row("probe-rank-se", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500, 3))),
    "iir": Row("iir", {}, (everywhere(2000), to_the_winner(15_000))),
    # With equal arms, walks do not end and comparisons may end with the toss of a coin.
    "iir, rash": Row(
        "iir", {"delta": 0.9}, (everywhere(5000), to_the_winner(5000), Runs(("two equal arms", "small gaps"), 30_000))
    ),
    "iir, as published": Row("iir", {"as_published": True, "delta": 0.5}, (everywhere(2000), to_the_winner(15_000))),
    "plpac-ampr": Row("plpac-ampr", {}, (everywhere(1500), to_the_winner(4000, 2))),
    "plpac-ampr, slack": Row("plpac-ampr", {"epsilon": 0.4, "delta": 0.9}, (everywhere(1500), to_the_winner())),
    "eqs": Row("eqs", {}, (everywhere(1000), to_the_winner())),
    "eqs, two": Row(
        "eqs",
        {"top": 2, "epsilon": 0.3, "delta": 0.9},
        (everywhere(1000), to_the_winner(3000, 2), Runs(("btl", "order of 9"), 5000, 2)),
        fewest=3,
    ),
    "tks": Row("tks", {}, (everywhere(1000), to_the_winner(10_000))),
    "tks, two": Row(
        "tks",
        {"top": 2, "epsilon": 0.45, "delta": 0.9},
        (everywhere(1000), to_the_winner(10_000), Runs(("no difference", "btl", "order of 9"), 10_000, 2)),
        fewest=3,
    ),
    "seeks": Row("seeks", {}, (everywhere(1000), to_the_winner(10_000))),
    # On "two", stages continue after half of the arms are accepted; small gaps reach the limits of comparisons.
    "seeks, four": Row(
        "seeks",
        {"top": 4, "delta": 0.9},
        (everywhere(1000), Runs(("order",), 10_000, 2), Runs(("two",), 150_000)),
        fewest=5,
    ),
    "seeks, eqs": Row(
        "seeks",
        {"inner": "eqs", "top": 2, "delta": 0.9},
        (everywhere(1000), to_the_winner(10_000), Runs(("small gaps",), 60_000)),
        fewest=3,
    ),
    "pbr-copeland": Row("pbr-copeland", {}, (everywhere(2000), to_the_winner())),
    "pbr-copeland, ties": Row("pbr-copeland", {"delta": 0.9}, (Runs(TIED, 3000, 2),)),
    "pbr-copeland, two": Row(
        "pbr-copeland",
        {"top": 2, "delta": 0.9},
        (everywhere(2000), to_the_winner(3000, 2), Runs(("order of 9", "btl"), 15_000), Runs(("tennis8",), 6000)),
        fewest=3,
    ),
}
