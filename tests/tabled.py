"""Helpers for tests of tables: made-up results, and parsers of the written tables."""

import re

import numpy as np

from duelbench.analysis.difference import Sample
from duelbench.analysis.tables import make_table, request_of
from duelbench.results.results import Results
from tests.experiments import QUANTILES, resolved, write_results

MEANS = {
    ("one", "a"): (1234.5, 12.3),
    ("one", "b"): (1240.0, 45.6),
    ("one", "c"): (99876.5, 321.0),
    ("two", "a"): (5.25, 0.125),
    ("two", "b"): (3.5, 0.1),
    ("two", "c"): (3.6, 0.1),
}
PLAIN = dict.fromkeys(QUANTILES, 1.0) | {"runs": 100, "skewness": 0.0, "kurtosis": 3.0}
"""Cells of a summary."""
TITLES = {"one": r"One & $\alpha = 1$", "two": "Two_2"}


def sample(values):
    return Sample(float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5, len(values))


def made(tmp_path, cells=MEANS, *, runs=100, titles=TITLES, horizons=(100, 1000), **others):
    """Return results with (dataset, algorithm) -> (mean, standard error) at 1000, and a tenth of both at 100."""
    labels = list(dict.fromkeys(label for label, _ in cells))
    datasets = [{"label": label, "grid_title": titles.get(label)} for label in labels]
    rows = []
    for (dataset, algorithm), (mean, error, *more) in cells.items():
        for t, share in ((100, 0.1), (1000, 1)):
            numbers = {**PLAIN, "runs": runs, "mean": share * mean, "sem": share * error} | (more[0] if more else {})
            numbers["std"] = numbers["sem"] * runs**0.5
            rows.append(((dataset, algorithm, "copeland", t), numbers))
    spec = resolved(datasets, dict.fromkeys(each for _, each in cells), horizons=horizons, runs=runs, **others)
    return Results(write_results(tmp_path, spec, rows))


def table(tmp_path, cells=MEANS, **asked):
    """Return the table of these results."""
    results = made(tmp_path, cells)
    return make_table(results, request_of(results, **asked))


def markdown_cells(text):
    """Return the cells of the only table on a Markdown page, without the rule; check that its lines are aligned."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(line) for line in lines}) == 1
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    assert len({len(line) for line in cells}) == 1
    assert cells[1][0].strip("-") == "" and all(re.fullmatch("-+:", cell) for cell in cells[1][1:])
    return [cells[0], *cells[2:]]


def latex_cells(text):
    """Return the cells of the only LaTeX tabular; check its braces, environments, dollar signs and columns."""
    depth, open_ones = 0, []
    for token in re.finditer(r"\\(begin|end)\{([a-z*]+)\}|\\.|[{}]", text, re.S):
        if token[1] == "begin":
            open_ones.append(token[2])
        elif token[1] == "end":
            assert open_ones.pop() == token[2]
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        assert depth >= 0
    assert (depth, open_ones) == (0, [])
    columns = re.search(r"\\begin\{tabular\}\{(l?r+)\}", text)[1]
    body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    body = re.sub(
        r"\\begin\{tabular\}\[b\]\{@\{\}c@\{\}\}(.*?)\\end\{tabular\}", lambda m: m[1].replace(r"\\", " "), body
    )
    lines = []
    for line in body.splitlines():
        line = re.sub(r"\\midrule|\\cmidrule\(lr\)\{\d+-\d+\}", "", line).strip()
        if line:
            assert line.endswith(r"\\")
            cells = [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
            spans = [int(found[1]) if (found := re.match(r"\\multicolumn\{(\d+)\}", cell)) else 1 for cell in cells]
            assert sum(spans) == len(columns)
            assert all(len(re.findall(r"(?<!\\)\$", cell)) % 2 == 0 for cell in cells)
            assert not re.search(r"(?<!\\)[%#_]", "".join(re.sub(r"\$[^$]*\$", "", cell) for cell in cells))
            lines.append(cells)
    return lines
