"""Rows of the catalogue's table (catalogue.py): algorithms that learn the order of all arms."""

from tests.rows import LOSER_WINS, Line, Row, Runs, everywhere, to_the_winner, wider

ROWS = {
    "mallows-mpr": Row(
        "mallows-mpr",
        {},
        (everywhere(1000), to_the_winner(), Runs(("order of 9", "order of 16"), 3000)),
        (
            {"delta": 0.06},
            wider("mallows_mpr", "1.1"),
            LOSER_WINS,
            Line("mallows_mpr", "- 0.91392 * K", "- K"),
            Line("mallows_mpr", "math.ceil(len(arms) / 2)", "len(arms) // 2"),
            Line("mallows_mpr", "return merged + upper + lower", "return merged + lower + upper[::-1]"),
        ),
    ),
    "mallows-mpr, rash": Row("mallows-mpr", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500, 3))),
}
