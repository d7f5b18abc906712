"""``duelbench list``."""

from tests.commands import here


def test_lists():
    algorithms = here("list", "algorithms").stdout
    for word in ("d-ts+", "rmed1", "alpha = 0.51", "Condorcet winner", "must know the horizon", "ICML 2011"):
        assert word in algorithms
    datasets = here("list", "datasets").stdout
    for word in ("sushi16", "(16 arms)", "btl-uniform", "Kamishima", "datasets fetch mslr-perfect"):
        assert word in datasets
    figures = here("list", "figures").stdout
    for word in ("regret\n", "std\n", "band = sem", "normalize_by"):
        assert word in figures
