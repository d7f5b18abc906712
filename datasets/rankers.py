"""Make a matrix of rankers from judged documents: ``python datasets/rankers.py Fold1/*.txt --users navigational``.

The documents are in the format of LETOR and MSLR, which scikit-learn reads (``pip install scikit-learn``). The set-up
is that of the MSLR matrices (Zoghi, Karnin, Whiteson & de Rijke, Copeland Dueling Bandits, NIPS 2015): each feature is
a ranker that sorts the documents of a query by it, the largest value first, and each pair of rankers is compared on
each query by probabilistic interleaving and the clicks of a simulated user. Entry (i, j) is the share of comparisons
that ranker i wins.

Details that the paper leaves open: documents with equal values are in random order, drawn once for each query and
ranker; every query has the same weight; equally many clicks, or none, are half a win.

**Clicks.** A user reads the list from the top, and clicks a document and stops after the click with probabilities that
depend on its grade (the dependent click model of Guo, Liu & Wang, WSDM 2009). The probabilities for grades 0
(irrelevant) to 4 (perfect) are from Hofmann, Whiteson & de Rijke (ACM TOIS 31(4), 2013).

**Interleaving** (Hofmann, Whiteson & de Rijke, A Probabilistic Method for Inferring Preferences from Clicks, CIKM
2011). For each position of the list, a fair coin decides which ranker fills it; this ranker draws one of its documents
that are not shown yet, with weights rank⁻³. Each click counts for the ranker that filled the position; the ranker with
more clicks wins. As in that paper, the result is averaged over the coins, given the list and the clicks: the first
ranker placed a document with probability P1 / (P1 + P2), independently of the others. This reduces the variance and
keeps the expectation.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numba import njit

USERS = {
    "perfect": ((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    "navigational": ((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    "informational": ((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
}
"""By grade: the probabilities of a click on a document that is read, and of stopping after the click.

The users read everything and know what is relevant; look for one page; collect information.
"""


@njit(nogil=True)
def draw(order, weight, shown, x):
    """Return the first document of a list at which the cumulative weight of those not shown yet exceeds x."""
    found = -1
    for k, document in enumerate(order):
        if not shown[document]:
            found = document
            x -= weight[k]
            if x < 0.0:
                break
    return found


@njit(nogil=True)
def compare(order, rank, weight, click, stop, places, rng):
    """Show an interleaved list to a user; return the probability that the first of two rankers wins.

    ``order[r, k]`` is the document at position k of ranker r's list, and ``rank`` its inverse; ``weight[k]`` is the
    weight of position k.
    """
    shown = np.zeros(len(weight), np.bool_)
    credit = np.zeros(places + 1)  # the probabilities that 0, 1, … clicks count for the first ranker
    credit[0] = 1.0
    clicks = 0
    mass1 = mass2 = weight.sum()
    for _ in range(places):
        coin = 2.0 * rng.random()
        if coin < 1.0:
            document = draw(order[0], weight, shown, coin * mass1)
        else:
            document = draw(order[1], weight, shown, (coin - 1.0) * mass2)
        shown[document] = True
        weight1, weight2 = weight[rank[0, document]], weight[rank[1, document]]
        if rng.random() < click[document]:
            share = weight1 * mass2 / (weight1 * mass2 + weight2 * mass1)
            clicks += 1
            for k in range(clicks, 0, -1):
                credit[k] = credit[k] * (1.0 - share) + credit[k - 1] * share
            credit[0] *= 1.0 - share
            if rng.random() < stop[document]:
                break
        mass1 -= weight1
        mass2 -= weight2
    half = clicks // 2
    return credit[half + 1 : clicks + 1].sum() + (0.5 * credit[half] if clicks % 2 == 0 else 0.0)


@njit(nogil=True)
def compare_all(order, rank, weight, click, stop, places, interleavings, rng):
    """Return the mean results of all pairs of rankers i < j."""
    rankers = len(order)
    wins = np.zeros((rankers, rankers))
    for i in range(rankers):
        for j in range(i + 1, rankers):
            pair = np.array([i, j])
            first, second = order[pair], rank[pair]
            for _ in range(interleavings):
                wins[i, j] += compare(first, second, weight, click, stop, places, rng) / interleavings
    return wins


def compared(numbered, users, interleavings=10, cutoff=10, seed=0):
    """Return the results of all pairs of rankers on a query: its number, grades 0 to 4 and (documents, features)."""
    number, grades, features = numbered
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    documents, rankers = features.shape
    order = np.lexsort((rng.random((rankers, documents)), -features.T))
    weight = np.arange(1.0, documents + 1) ** -3
    click, stop = (np.array(each)[grades] for each in USERS[users])
    places = min(cutoff, documents)
    return compare_all(order, np.argsort(order, axis=1), weight, click, stop, places, interleavings, rng)


def queries(paths, top_grade=4):
    """Yield the number, grades and (documents, features) of each query; grades are scaled to 0 to 4."""
    from sklearn.datasets import load_svmlight_files

    loaded = load_svmlight_files(paths, query_id=True, zero_based=False)
    number = 0
    for features, grades, ids in zip(loaded[::3], loaded[1::3], loaded[2::3], strict=True):
        if not set(grades) <= set(range(top_grade + 1)):
            raise SystemExit(f"grades must be 0 to {top_grade}: name the grade of a perfect document with --top-grade")
        grades = grades.astype(int) * 4 // top_grade
        for rows in np.split(np.arange(len(ids)), np.flatnonzero(np.diff(ids)) + 1):
            yield number, grades[rows], features[rows].toarray()
            number += 1


def main(arguments=None):
    """Write the matrix."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("files", nargs="+", help="files of LETOR or MSLR")
    parser.add_argument("--users", choices=USERS, required=True, help="simulated users")
    parser.add_argument("--interleavings", type=int, default=10, help="lists per pair of rankers and query (10)")
    parser.add_argument("--cutoff", type=int, default=10, help="documents in a list (10)")
    parser.add_argument("--top-grade", type=int, choices=(1, 2, 4), default=4, help="grade of a perfect document (4)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", default="rankers.csv", help="file to write (rankers.csv)")
    options = parser.parse_args(arguments)
    settings = {name: getattr(options, name) for name in ("users", "interleavings", "cutoff", "seed")}
    count, wins = 0, 0.0
    with ThreadPoolExecutor() as pool:
        for each in pool.map(partial(compared, **settings), queries(options.files, options.top_grade)):
            wins, count = wins + each, count + 1
    upper = np.triu(wins / count, 1)
    matrix = upper + np.tril(1 - upper.T, -1) + np.eye(len(upper)) / 2
    about = ", ".join(f"{name} {value}" for name, value in {"queries": count, **settings}.items())
    np.savetxt(options.output, matrix, "%.17g", ",", header=about)
    print(f"{options.output}: {len(matrix)} rankers; {about}")


if __name__ == "__main__":
    main()
