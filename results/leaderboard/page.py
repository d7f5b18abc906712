"""Write LEADERBOARD.md and its figures: `python -m results.leaderboard.page FOLDER`, as `make leaderboard` does.

The results are those in FOLDER/leaderboard*/, where `duelbench run` has written them.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import gmean

from duelbench.algorithms.catalogue import catalogue
from duelbench.analysis.table_formats import ALIKE, UNCERTAIN
from duelbench.markup import UNMET, markdown_table, number
from duelbench.sources.published_matrices import TABLES
from results.leaderboard.board import MADE_FOR_CHANGES, Board, board
from results.leaderboard.poster import duration, save_poster

_FIRST = 5
"""The number of leaders that are named."""
_CLASSICS = ["ccb", "rucb"]
"""The baselines of most papers."""
_FAR = 10
"""A leader with more than this multiple of the best regret on a table is reported as far behind."""
_SKEWED = 10
"""A mean of more than this multiple of the median is reported as dominated by a few runs."""


def page(constant: Board, changing: Board) -> str:
    """Return the page in Markdown."""
    advice = [
        _leaders(constant, constant.with_winner, "If one arm beats every other", "tables with a Condorcet winner"),
        _leaders(constant, constant.others, "If possibly none does", "tables without one"),
        *_often_best(constant),
        *_leaders_that_fall_back(constant),
    ]
    classics = constant.algorithms[constant.algorithms.index.isin(_CLASSICS)]
    baselines = [f"{each.title} ({number(each.times)} times the best)" for each in classics.itertuples()]
    least = _leaders(changing, [*changing.tables], "Least regret", "sequences that change")
    ordering = [f"`{name}`" for name, kind in catalogue().items() if kind.finds_order]
    return f"""\
# Leaderboard

`make leaderboard` plays the catalogue on the tables that come with duelbench, and then on
[preferences that change](#preferences-that-change), and writes this page. The specs are those in [configs](../configs)
whose names begin with `leaderboard`; parameters that they do not set have their defaults.

## What to use, and what to compare with

{_listed(advice)}
* **Compare a new algorithm** with the first of these on tables of both kinds, and with the baselines of most papers: \
{", ".join(baselines)}.
* For the best arm with few votes, or the order of all arms, see [what to use](README.md#what-to-use); preferences \
that change have [a ranking of their own](#preferences-that-change).

{_size(constant)}

![The leaderboard as a figure](leaderboard/leaderboard.png)

Numbers are the mean Copeland regret over runs ± its standard error, with the rank in brackets. **Bold**: the best. †:
not significantly worse (Welch's t test between all pairs, Holm-corrected, 5 %). ‡: the error is uncertain, as a few
runs have much of the variance, or it is more than a third of the mean; such a number is neither bold nor has it a †.
§: the table does not meet the assumptions of the algorithm ([below](#assumptions-and-where-they-hold)), so it has no
rank there. ·: not played. *Mean rank* is over the tables where the algorithm has a rank, with their number in
brackets; algorithms with a rank on less than half of the tables follow the others, as their mean ranks are not
comparable. *Times the best* is the regret as a multiple of the best in its part, the geometric mean over these tables.
*Time* is the median time of a run on one core.

## Minimise regret

{_table(constant, constant.contest(identifies=False))}

## Identify a winner, then play it

These algorithms explore until they have identified a winner with a given confidence, and play it from then on, so \
they are ranked separately. If the winner is wrong, every later duel costs regret: a few such runs then dominate the \
mean, and the standard error is large.

{_table(constant, constant.contest(identifies=True))}

## What stands out

{_listed([*_as_bad_as_random(constant), *_costs_of_confidence(constant)])}

## Assumptions, and where they hold

Assumptions are checked on the matrix ([assumptions.py](../duelbench/preferences/assumptions.py)), with the parameters \
of the algorithm if an assumption refers to them. The last column gives those that fail.

{_assumptions(constant)}

Not played: {", ".join(ordering)}, which look for an order of the arms; `naive`, which needs arm 0 as a baseline.

## Preferences that change

{_size(changing)}

![Preferences that change as a figure](leaderboard/changes.png)

Dynamic Copeland regret: each duel is compared with the best arm of its round. In the sequences the best arm changes, or
its advantage vanishes; [the spec](../configs/leaderboard-changes.yaml) defines them. Algorithms for a known number of
changes are set to nine, whatever the true number is. No assumption of constant preferences holds here, so all
algorithms are ranked together; other marks are those of the tables above. *Italics*: algorithms that detect changes or
have a guarantee against an adversary.

### What stands out

{_listed([least, *_often_best(changing), *_as_bad_as_random(changing)])}

{_table(changing, changing.algorithms)}
"""


def _listed(sentences: Iterable[str]) -> str:
    return "\n".join(f"* {each}" for each in sentences)


def _named(cells: pd.DataFrame) -> str:
    """Return the algorithms and the tables of cells, such as "D-TS on Cyclic, K = 4; RUCB on Gap, K = 8"."""
    return "; ".join(f"{title} on {', '.join(of.table)}" for title, of in cells.groupby("title", sort=False))


def _size(board: Board) -> str:
    return (
        f"{len(board.algorithms)} algorithms, {len(board.tables)} {'sequences' if board.changing else 'tables'}, "
        f"{board.runs} runs of {board.horizon:,} duels each; {board.cells.total_seconds.sum():,.0f} core-seconds."
    )


def _leaders(board: Board, labels: Sequence[str], when: str, which: str) -> str:
    """Name the algorithms with the least regret on these datasets, among those with a rank on most of them."""
    cells = board.ranked[~board.ranked.identifies & board.ranked.dataset.isin(labels)]
    of = cells.groupby("title", sort=False).times
    times = of.agg(gmean)[2 * of.count() > len(labels)].sort_values(kind="stable")[:_FIRST]
    leaders = ", ".join(f"{title} ({number(each)})" for title, each in times.items())
    return (
        f"**{when}**: {leaders}; in brackets, the regret as a multiple of the best, the geometric mean over the "
        f"{len(labels)} {which}."
    )


def _often_best(board: Board) -> Iterator[str]:
    of = board.ranked[~board.ranked.identifies].groupby("title", sort=False).best
    often = of.sum()[of.sum() > 1].sort_values(ascending=False, kind="stable")
    if len(often):
        where = "sequences" if board.changing else "tables where they have a rank"
        named = ", ".join(f"{title} on {best} of {of.size()[title]}" for title, best in often.items())
        yield f"The best, or not significantly worse, on several of the {where}: {named}."


def _leaders_that_fall_back(board: Board) -> Iterator[str]:
    """Name the tables on which algorithms with the best mean ranks are far behind the best."""
    near = board.ranked[board.ranked.times <= _FAR].algorithm
    often = board.contest(identifies=False).query("2 * ranked > @many", local_dict={"many": len(board.tables)})
    first = often[often.index.isin(near)].mean_rank.sort_values(kind="stable")[:_FIRST]
    far = board.ranked[board.ranked.algorithm.isin(first.index) & (board.ranked.times > _FAR)]
    far = far.sort_values("algorithm", key=lambda names: names.map([*first.index].index), kind="stable")
    for label, title in board.tables.items():
        there = far[far.dataset == label].itertuples()
        if behind := ", ".join(f"{each.title} has {each.times:.0f} times the best regret" for each in there):
            yield f"On {title} algorithms that lead elsewhere are far behind: {behind}. ({TABLES[label].note})"


def _as_bad_as_random(board: Board) -> Iterator[str]:
    """Name the algorithms that have at least as much regret as duels of random arms."""
    random = board.cells[board.cells.algorithm == "uniform"].set_index("dataset")["mean"]
    bad = board.cells[board.cells["mean"] >= board.cells.dataset.map(random)].query("algorithm != 'uniform'")
    if len(met := bad[bad["rank"].notna()]):
        although = "" if board.changing else ", although their assumptions hold"
        yield f"No better than duels of random arms{although}: {_named(met)}."
    if len(unmet := bad[bad["rank"].isna()]):
        yield (
            f"No better than duels of random arms, where their assumptions do not hold: {_named(unmet)}. "
            "SCB exploits once it has ordered the arms: if two arms tie, it duels them to the end "
            "(`duelbench trace results/leaderboard six-rankers/scb 0`)."
        )


def _costs_of_confidence(board: Board) -> Iterator[str]:
    """Name the algorithms that explore to the end because gaps are small, and means that a few runs dominate."""
    if len(exploring := board.ranked[board.ranked.declared < 0.5]):
        yield (
            "Still exploring at the end in more than half of the runs, although their assumptions hold: "
            f"{_named(exploring)}. Their regret grows linearly: the gaps there are too small to be resolved within the "
            "horizon."
        )
    cells = board.ranked[board.ranked.identifies]
    if len(skewed := cells[cells["mean"] > _SKEWED * cells.q50]):
        yield (
            "For algorithms that identify a winner, a few expensive runs may dominate the mean: it is more than "
            f"{_SKEWED} times the median in {len(skewed)} of {len(cells)} cells with a rank "
            f"({', '.join(skewed.title.unique())}). The median is the cost of a typical run; the mean includes the "
            "cost of a wrong winner, which occurs with the probability that was allowed and then counts for the rest "
            "of the ten million duels."
        )


def _table(board: Board, rows: pd.DataFrame) -> str:
    """Return a table; algorithms with a rank on less than half of the datasets follow the others."""
    texts = board.cells.assign(text=[_cell(each) for each in board.cells.itertuples()])
    texts = texts.pivot(index="algorithm", columns="dataset", values="text").reindex(columns=[*board.tables])
    lines = []
    rows = rows.assign(few=2 * rows.ranked < len(board.tables)).sort_values(["few", "mean_rank", "title"])
    for row in rows.itertuples():
        title = f"*{row.title}*" if row.group == MADE_FOR_CHANGES else row.title
        rank, times = (f"{row.mean_rank:.1f} ({row.ranked})", number(row.times)) if row.ranked else ("–", "–")
        lines.append(
            [f"{title} (`{row.Index}`)", rank, times, duration(row.seconds), *texts.loc[row.Index].fillna("·")]
        )
    return "\n".join(
        markdown_table(["algorithm", "mean rank", "times the best", "time", *board.tables.values()], lines)
    )


def _cell(cell: Any) -> str:
    mean = f"**{number(cell.mean)}**" if cell.best and cell.rank == 1 else number(cell.mean)
    place = UNMET if cell.unmet else f"({cell.rank:.0f})"
    marks = ALIKE * (cell.best and cell.rank > 1) + UNCERTAIN * cell.uncertain
    return f"{mean} ± {number(cell.sem)} {place} {marks}".rstrip()


def _assumptions(board: Board) -> str:
    """Return the table of the assumptions of each algorithm, and where they hold."""
    names = {label: title.partition(", K = ")[0].replace(",", "") for label, title in board.tables.items()}
    lines = []
    for name, of in board.cells.groupby("algorithm", sort=False):
        tables = of.dataset.map(names)
        holds = ", ".join(tables[of.unmet == ""])
        fails = [f"{', '.join(tables[of.unmet == reason])}: {reason}" for reason in of.unmet.unique() if reason]
        if absent := [names[label] for label in names if label not in set(of.dataset)]:
            fails.append(f"not played on {', '.join(absent)}")
        assumes = catalogue()[name].assumes
        lines.append([board.algorithms.title[name], assumes, holds or "none", "; ".join(fails) or "none"])
    return "\n".join(markdown_table(["algorithm", "assumes", "holds on", "does not hold on"], lines))


def main(folder: Path) -> None:
    """Write the page and the figures of the results in a folder."""
    changes = folder / "leaderboard-changes"
    constant = board([each for each in sorted(folder.glob("leaderboard*/")) if each != changes])
    changing = board([changes], changing=True)
    (folder / "LEADERBOARD.md").write_text(page(constant, changing), encoding="utf-8")
    save_poster(constant, folder / "leaderboard" / "leaderboard")
    save_poster(changing, folder / "leaderboard" / "changes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
