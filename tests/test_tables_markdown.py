"""Tables in Markdown."""

from duelbench.tables.asked import ask
from duelbench.tables.markdown import escaped, markdown
from duelbench.tables.table import make_table
from tests.tabled import MEANS, markdown_cells, table
from tests.test_tables_table import recommending


def test_numbers_marks_and_titles(tmp_path):
    text = markdown(table(tmp_path))
    assert text.startswith("Cumulative Copeland regret at t = 1,000: mean ± standard error, 100 runs.\n\n|")
    assert markdown_cells(text) == [
        ["algorithm", "One & α = 1", r"Two\_2", "mean rank"],
        ["a", "**1,234 ± 12**", "5.25 ± 0.12", "2.00"],
        ["b", "1,240 ± 46 †", "**3.50 ± 0.10**", "**1.50**"],
        ["c", "99,880 ± 320", "3.60 ± 0.10 †", "2.50"],
    ]
    assert text.endswith("are too few to tell algorithms apart.\n")


def test_what_is_missing_and_several_rounds(tmp_path):
    without = {place: each for place, each in MEANS.items() if place != ("two", "c")}
    cells = markdown_cells(markdown(table(tmp_path, without, rounds=(100, 1000)), transposed=True))
    assert [line[0] for line in cells] == [
        *("dataset", "One & α = 1, t = 100", "One & α = 1, t = 1,000", r"Two\_2, t = 100", r"Two\_2, t = 1,000"),
    ]
    assert cells[3] == [r"Two\_2, t = 100", "0.525 ± 0.012", "**0.350 ± 0.010**", "–"]


def test_shares_are_in_percent_with_their_intervals(tmp_path):
    results = recommending(tmp_path)
    text = markdown(make_table(results, ask(results, show="right")))
    assert text.startswith("Percent of runs that name a best arm (Copeland) on Title of one at 1,000 votes: Wilson")
    assert [line[1] for line in markdown_cells(text)[1:]] == [
        *("**95.0 (90.0–99.0)**", "90.0 (85.0–94.0) †", "40.0 (35.0–44.0)"),
    ]


def test_columns_stand_below_each_other_whatever_the_letters(tmp_path):
    """A Chinese letter is twice as wide as others, an accent has no width."""
    from duelbench.tables.markdown import _aligned, _width

    lines = _aligned([["name", "n"], ["決闘", "1"], ["e\N{COMBINING ACUTE ACCENT}", "22"]])
    assert len({_width(line) for line in lines}) == 1


def test_nothing_in_a_title_is_markup():
    assert escaped("a|b*c_d`e`[f](g)<h> ~~i~~ &amp; \\j") == r"a\|b\*c\_d\`e\`\[f\](g)\<h> \~\~i\~\~ \&amp; \\j"
    assert escaped("two\nlines | p < 0.1 & $\\alpha$ for \\$5") == r"two lines \| p < 0.1 & α for \$5"
