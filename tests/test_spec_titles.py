"""Titles: what people read of entries, with mathematics and the values of grids."""

import pytest
from pydantic import ValidationError

from duelbench.spec.titles import distinct_titles, filled, plain, point_title, symbol
from tests.specs import minimal


@pytest.mark.parametrize(
    ("title", "said"),
    [
        (r"$\alpha$-RUCB", "α-RUCB"),
        (r"$\mathrm{RUCB}_{\varepsilon}$ ($\delta = 10^{-3}$)", "RUCB_ε (δ = 10^-3)"),
        (r"$\Lambda\times\infty$ at \$5", "Λ×∞ at $5"),
        ("no $ mathematics", "no $ mathematics"),
        (r"C:\alpha {x}", r"C:\alpha {x}"),
    ],
)
def test_on_a_terminal_mathematics_is_text(title, said):
    assert plain(title) == said


def test_the_values_of_a_grid_follow_its_title_or_stand_in_it():
    point = {"alpha": 0.5, "arms": 1000, "mode": "a$"}
    assert point_title("RUCB", point) == r"RUCB, α = 0.5, K = 1,000, mode = a\$"
    assert point_title("{mode} (α = {alpha})", point) == r"a\$ (α = 0.5), K = 1,000"
    assert point_title("RUCB ({alpha})", {"alpha": 0.5, "gamma": 2}, without="alpha") == "RUCB (…), γ = 2"
    assert point_title("RUCB", {"alpha": 0.5}, without="alpha") == "RUCB"
    assert point_title("X", {"delay": 1000}) == "X, delay 1,000"


def test_inside_mathematics_what_was_a_group_stays_one():
    assert filled("$K_{arms}$ {arms} {other}", {"arms": 1000}) == "$K_{1{,}000}$ 1,000 {other}"


@pytest.mark.parametrize(("name", "said"), [("lambda", "λ"), ("Delta", "Δ"), ("arms", "K"), ("min_gap", "min gap")])
def test_parameters_have_the_symbols_of_papers(name, said):
    assert symbol(name) == said


def test_titles_that_read_alike_are_told_apart():
    told = distinct_titles([("a", "T"), ("b", "T"), ("c", "T (b)"), ("d", r"$\alpha$"), ("e", "α"), ("f", "other")])
    assert told == {"a": "T (a)", "b": "T (b)", "c": "T (b) (c)", "d": r"$\alpha$ (d)", "e": "α (e)", "f": "other"}
    assert len({plain(title) for title in told.values()}) == 6


def test_entries_have_the_title_of_their_grid_with_what_does_not_vary_filled_in():
    made = minimal(
        algorithms=[{"name": "b", "alpha": [1, 2], "gamma": 3, "title": "B{gamma} {alpha}"}, "c"],
        datasets=[{"name": "mine", "file": "m.csv"}, {"file": "n.csv"}, {"name": "d", "arms": [3, 4], "title": "D"}],
        feedback={"delay": [1, 5]},
    )
    algorithms, datasets = made.expanded_algorithms(), made.expanded_datasets()
    assert [(each.title, each.grid, each.point) for each in algorithms] == [
        ("B3 {alpha}", "b", {"alpha": 1}),
        ("B3 {alpha}", "b", {"alpha": 2}),
        (None, None, {}),
    ]
    assert [(each.title, each.point) for each in datasets[::2]] == [
        ("mine", {"delay": 1}),
        (None, {"delay": 1}),
        ("D", {"arms": 3, "delay": 1}),
        ("D", {"arms": 4, "delay": 1}),
    ]


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("costs $5", "has no partner"),
        (r"$\alhpa$", r"no mathtext \(Unknown symbol: .alhpa\)"),
        ("$x_{$", r"no mathtext \(Expected end_group\)"),
        ("RUCB {alhpa}", "no parameter 'alhpa' is given here .did you mean 'alpha'"),
        ("", "at least 1 character"),
    ],
)
def test_a_title_that_cannot_be_drawn_is_refused(title, words):
    with pytest.raises(ValidationError, match=words):
        minimal(algorithms=[{"name": "b", "alpha": 1, "title": title}])
