"""Made-up results on real tables, for the leaderboard."""

from duelbench.results.reader import Results
from duelbench.sources.published_matrices import TABLES
from tests.experiments import QUANTILES, resolved, write_results

PARAMETERS = {"nts": {"h": 0.05}, "btm": {"gamma": 1.3}, "knockout": {"gamma": 1.0}}


def results(directory, cells, *, horizon=1000, runs=100, second=0.002, declared="", **dataset):
    """Results whose cells[table, algorithm] are means, or means with standard errors.

    Tables with other names have three arms; ``dataset`` has their title and identity.
    ``declared`` is the share of runs that declare a winner.
    """
    tables, names = (list(dict.fromkeys(each)) for each in zip(*cells, strict=True))
    entries = [
        (
            {"label": name, "arms": TABLES[name].matrix().arms, "title": TABLES[name].title, "origin": name}
            | {"identity": {"matrix": TABLES[name].matrix().digest()}}
            if name in TABLES
            else {"label": name, "arms": 3}
        )
        | dataset
        for name in tables
    ]
    spec = resolved(entries, names, horizons=(horizon,), runs=runs)
    algorithms = [
        {"label": name, "name": name, "grid_title": name.upper(), "parameters": PARAMETERS.get(name, {})}
        for name in names
    ]
    spec = type(spec).model_validate(spec.model_dump() | {"algorithms": algorithms})
    rows = []
    for (table, name), given in cells.items():
        mean, sem = given if isinstance(given, tuple) else (given, given / 100)
        numbers = (
            dict.fromkeys(QUANTILES, mean)
            | {"runs": runs, "std": sem, "skewness": 0.0, "kurtosis": 3.0}
            | {"declared": declared}
        )
        rows.append(((table, name, "copeland", horizon), numbers | {"mean": mean, "sem": sem}))
    seconds = {
        table: {name: {"runs": 2, "median": 5.5 * second, "total": 11 * second} for _, name in cells}
        for table, _ in cells
    }
    return Results(write_results(directory, spec, rows, seconds))
