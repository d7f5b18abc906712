"""Made-up results for the measures of the report."""

from duelbench.analysis.reproduction.library import Library
from duelbench.spec.load import load
from tests.comparison import ROOT
from tests.experiments import QUANTILES, resolved, write_results

HORIZON = 1000

PLAIN = dict.fromkeys(QUANTILES, 1.0) | {"runs": 100, "skewness": 0.0, "kurtosis": 3.0}


def write(root, name, cells, datasets=("d",), horizon=HORIZON, regrets=("copeland",), **others):
    """Write results with ``cells[dataset, algorithm]`` at the horizon, and a tenth of their mean before."""
    earlier = [t for t in others.pop("horizons", ()) if t < horizon] or [horizon // 10]
    rows = []
    for (dataset, algorithm), given in cells.items():
        for regret in regrets:
            numbers = {**PLAIN, "std": 1, "sem": 0.1, **given}
            before = numbers.pop("before", numbers["mean"] / 10)
            rows += [((dataset, algorithm, regret, t), numbers | {"mean": before}) for t in earlier]
            rows.append(((dataset, algorithm, regret, horizon), numbers))
    labels = dict.fromkeys(algorithm for _, algorithm in cells)
    spec = resolved(datasets, labels, horizons=(horizon,), regret=regrets, runs=100, **others)
    write_results(root / name, spec, rows, seconds={"d": {"a": {"runs": 1, "median": 1.5, "total": 1.5}}})


def explored(duels, right=1.0, declared=1.0):
    return {"mean": 1, "declared": declared, "duels_to_declaration": duels, "right": right}


def recommended(duels, right=1.0, declared=1.0, error=1.0, votes=7.0):
    """As ``explored``, with recommended arms: the standard error of duels and votes, and the votes."""
    more = {"votes": votes, "votes_sem": error, "duels_sem": error, "recommended_right": right, "simple": 0.0}
    return explored(duels, right, declared) | more | {"right_low": right, "right_high": right}


def ordered_cell(tau, right=0.0, error=0.001):
    """As ``recommended``, with an order as the goal: its mean distance and the share of exact orders."""
    more = {"overlap": right, "overlap_sem": 0.0, "epsilon": 0.0, "within": right}
    return recommended(10) | {"recommended_right": right, "tau": tau, "tau_sem": error} | more


def finding(tmp_path, measure, datasets=("d",), **given):
    """Measure results of these algorithms, given by their numbers or only a mean."""
    cells = {
        (dataset, algorithm): numbers if isinstance(numbers, dict) else {"mean": numbers}
        for algorithm, numbers in given.items()
        for dataset in datasets
    }
    write(tmp_path, "fig", cells, datasets, recommend="own")
    return measure(Library(tmp_path))


def write_figure(root, name):
    """Write results of all datasets and algorithms in a figure's spec, with its bounds."""
    spec = load(ROOT / "configs" / f"{name}.yaml")
    datasets = [entry.label for entry in spec.expanded_datasets()]
    recommend = spec.recommend or "none"
    numbers = ordered_cell(0.1) if spec.order_goal else explored(10) if recommend == "none" else recommended(10)
    cells = {(d, a.label): numbers for d in datasets for a in spec.expanded_algorithms()}
    write(
        root,
        name,
        cells,
        datasets,
        spec.horizons[-1],
        spec.regret,
        horizons=spec.horizons,
        recommend=recommend,
        find=spec.find,
    )
    names = {name for each in spec.figures for name in getattr(each, "bounds", ())}
    bounds = [f"{datasets[0]},{name},copeland,1" for name in sorted(names)]
    (root / name / "bounds.csv").write_text("\n".join(["dataset,bound,regret,constant", *bounds]))
