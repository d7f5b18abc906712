"""Rankers compared by interleaving: judged documents, clicks, lists, and `datasets build letor`."""

import re

import numpy as np
import pytest

from duelbench.compiling.dispatcher import Kernel
from duelbench.errors import UserError
from duelbench.reference import interleaving
from duelbench.sources.datasets import dataset
from duelbench.sources.letor import Judged, read_queries
from duelbench.sources.rankers import BATCH, CLICK_MODELS, Simulation, compare_all, compare_rankers, rankings
from tests.commands import here
from tests.playing import interpreting

GOOD = """\
2 qid:10 1:0.5 2:-1e-3 3:7 #docid = GX000-00-0000000 inc = 1
0 qid:10 1:0 2:4 3:0.25

# a comment
1 qid:x7 3:1 1:2
4 qid:x7 1:3 2:1 3:9
0 qid:x7
"""


def read(*files, features=None, top_grade=4, advance=lambda count: None):
    return list(read_queries(files, features, top_grade, advance))


def write(path, text):
    path.write_text(text)
    return path


def simulation(model="perfect", interleavings=1, cutoff=10, seed=1, top_grade=4):
    return Simulation(model, interleavings, cutoff, seed, top_grade)


def judged(grades, *rankers):
    return Judged(np.array(grades), np.array(rankers, float).T)


def random_query(documents, rankers, seed):
    rng = np.random.default_rng(seed)
    return Judged(rng.integers(0, 5, documents), rng.normal(size=(documents, rankers)))


def build(*arguments):
    return here("datasets", "build", "letor", *arguments)


def test_letor_queries(tmp_path):
    first, second = read(write(tmp_path / "a.txt", GOOD))
    assert first.grades.tolist() == [2, 0] and second.grades.tolist() == [1, 4, 0]
    assert first.features.tolist() == [[0.5, -0.001, 7], [0, 4, 0.25]]
    assert second.features.tolist() == [[2, 0, 1], [3, 1, 9], [0, 0, 0]]
    first, second = read(tmp_path / "a.txt", features=[3, 1, 5])
    assert first.features.tolist() == [[7, 0.5, 0], [0.25, 0, 0]]
    assert second.features.tolist() == [[1, 2, 0], [9, 3, 0], [0, 0, 0]]


def test_letor_files(tmp_path):
    one, two = write(tmp_path / "a.txt", GOOD), write(tmp_path / "b.txt", GOOD.replace("\n", "\r\n"))
    counted = []
    queries = read(one, two, advance=counted.append)
    assert len(queries) == 4  # the same query in another file is another query
    assert queries[2].features.tolist() == queries[0].features.tolist()
    assert sum(counted) == one.stat().st_size + two.stat().st_size


LINE = "1 qid:1 1:1 2:2\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", None, "the file has no documents"),
        (LINE + "5 qid:1 1:1 2:2\n", 2, "the grade is '5': it must be a whole number from 0 to 4"),
        (LINE + "1 1:1 2:2\n", 2, "a line is a grade, qid:<query> and <feature>:<value> pairs"),
        (LINE + "1 qid:1 1:1 2\n", 2, "'2' is not <feature>:<value>"),
        (LINE + "1 qid:1 1:1 2:two\n", 2, "'2:two' is not <feature>:<value>"),
        (LINE + "1 qid:1 0:1 2:2\n", 2, "invalid feature number 0: features are numbered from 1"),
        (LINE + "1 qid:1 1:1 1:2\n", 2, "a feature appears twice in this line"),
        (LINE + "1 qid:1 1:1 2:nan\n", 2, "every value must be a finite number"),
        (LINE + "1 qid:2 1:1 2:2\n\n" + LINE, 4, "query 1 appears again: keep its lines together"),
    ],
)
def test_letor_errors(tmp_path, text, line, says):
    file = write(tmp_path / "broken.txt", text)
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        read(file)
    assert (caught.value.source, caught.value.line) == (str(file), line)


def test_letor_new_feature(tmp_path):
    files = write(tmp_path / "a.txt", LINE), write(tmp_path / "b.txt", "1 qid:1 1:1 3:2\n")
    with pytest.raises(UserError, match="feature 3 is not in the first query, which ends at 2") as caught:
        read(*files)
    assert (caught.value.source, caught.value.line) == (str(files[1]), 1)
    assert read(*files, features=[1, 2, 3])[1].features.tolist() == [[1, 0, 2]]


def test_letor_grades(tmp_path):
    file = write(tmp_path / "a.txt", "2 qid:1 1:1\n")
    assert read(file, top_grade=2)[0].grades.tolist() == [2]
    with pytest.raises(UserError, match="whole number from 0 to 1"):
        read(file, top_grade=1)


def collection(queries=30, documents=12):
    """Feature 1 has the grades, 2 their opposites, 3 is noise."""
    rng = np.random.default_rng(4)
    lines = []
    for query in range(queries):
        for grade in rng.integers(0, 5, documents):
            noise = rng.normal(size=2)
            lines.append(f"{grade} qid:{query} 1:{grade + 0.1 * noise[0]:.4f} 2:{-grade} 3:{noise[1]:.4f}\n")
    return "".join(lines)


def test_build_letor(tmp_path):
    file, target = write(tmp_path / "train.txt", collection()), tmp_path / "m.csv"
    done = build(file, "--click-model", "informational", "-o", target, "--interleavings", 20, "-j", 1)
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{target}: 3 rankers, informational users, lists of 10, 30 queries, ")
    assert re.search(r"standard error of an entry: 0\.0\d+ at most", done.output)
    P = dataset(file=target).origin.P
    assert P[0, 1] > P[0, 2] > 0.5 and P[2, 1] > 0.5
    assert target.read_text().splitlines()[1] == "# Rankers: features 1-3 of train.txt"
    assert done.stderr == ""  # no progress bar off a terminal


def test_build_letor_options(tmp_path):
    file = write(tmp_path / "train.txt", collection())

    def matrix(*options):
        target = tmp_path / "m.npz"
        done = build(file, "--click-model", "perfect", "-o", target, "-j", 1, *options)
        assert done.exit_code == 0, done.output
        return dataset(file=target).origin

    base = matrix()
    assert matrix("--seed", 0, "--cutoff", 10, "--interleavings", 10, "--top-grade", 4).digest() == base.digest()
    assert matrix("--features", "1-3").digest() == base.digest()
    others = [matrix(*options) for options in (["--seed", 1], ["--cutoff", 3], ["--interleavings", 5])]
    assert len({each.digest() for each in (base, *others)}) == 4
    turned = matrix("--features", "3,1")
    assert turned.arms == 2 and turned.P[0, 1] == pytest.approx(base.P[2, 0], abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["train.txt", "none.txt", "--click-model", "perfect"], "none.txt: there is no such file"),
        (["bad.txt", "--click-model", "perfect"], "bad.txt:2: the grade is 'x'"),
        (["train.txt", "--click-model", "perfect", "--features", "1;2"], "write 1-5,8"),
        (["train.txt", "--click-model", "perfect", "-o", "m.txt"], "a matrix is written to .csv, .npy or .npz"),
        (["train.txt", "--click-model", "perfect", "-o", "no/m.csv"], "no/m.csv: cannot write here"),
    ],
)
def test_build_letor_errors(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "train.txt", collection(2, 3))
    write(tmp_path / "bad.txt", LINE + "x qid:1 1:1\n")
    write(tmp_path / "letor-perfect.csv", "as it was")
    failed = build(*arguments)
    assert failed.exit_code == 2 and says in failed.stderr and "Traceback" not in failed.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "letor-perfect.csv", "train.txt"]
    assert (tmp_path / "letor-perfect.csv").read_text() == "as it was"


@pytest.mark.parametrize("model", CLICK_MODELS)
@pytest.mark.parametrize("grades", [[2, 4, 0, 4], [4, 0, 2, 2]])
def test_exact_mean(model, grades):
    query, size = judged(grades, [4, 3, 2, 1], [1, 2, 3, 4]), 300_000
    rng, wins = np.random.default_rng(2), np.zeros((2, 2))
    compare_all(rankings(query, simulation(model, cutoff=3), rng), size, wins, rng)
    # The deviation of one comparison is less than 1/2.
    expected = interleaving.expected([[0, 1, 2, 3], [3, 2, 1, 0]], grades, model, cutoff=3)
    assert wins[0, 1] == pytest.approx(expected, abs=4 * 0.5 / size**0.5)


def test_interleaving_interpreted():
    assert isinstance(compare_all, Kernel)

    def found():
        rng, wins = np.random.default_rng(5), np.zeros((4, 4))
        compare_all(rankings(random_query(9, 4, 5), simulation("informational", 5, 6), rng), 5, wins, rng)
        return wins.tolist(), rng.random()

    compiled = found()
    with interpreting():
        assert found() == compiled


def test_ranking_order():
    query = judged([0, 1, 2, 3], [0.5, 3, -1, 0.75], [7, 7, 7, 9])
    orders = {tuple(map(tuple, rankings(query, simulation(), np.random.default_rng(seed)).order)) for seed in range(60)}
    assert {first for first, _ in orders} == {(1, 3, 0, 2)}
    assert {second[0] for _, second in orders} == {3}
    assert len({second for _, second in orders}) == 6  # equal values in random order
    prepared = rankings(query, simulation(), np.random.default_rng(0))
    assert (np.take_along_axis(prepared.rank, prepared.order, axis=1) == np.arange(4)).all()


def test_nothing_relevant():
    found = compare_rankers([Judged(np.zeros(6, int), np.random.default_rng(1).normal(size=(6, 3)))] * 3, simulation())
    assert (found.matrix.P == 0.5).all() and found.standard_error == 0


def test_top_grade():
    coarse, fine = [0, 1, 2, 1, 0, 2], [0, 2, 4, 2, 0, 4]
    features = np.random.default_rng(1).normal(size=(6, 3))

    def digest(grades, top):
        query = Judged(np.array(grades), features)
        return compare_rankers([query], simulation("navigational", 20, top_grade=top)).matrix.digest()

    digests = [digest(coarse, 2), digest(fine, 4), digest(coarse, 4)]
    assert digests[0] == digests[1] != digests[2]


def test_processes_and_seeds():
    queries = [random_query(8, 3, seed) for seed in range(3 * BATCH + 1)]
    digests = [
        compare_rankers(iter(queries), simulation("informational", seed=seed), jobs).matrix.digest()
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_one_ranker():
    with pytest.raises(UserError, match="each feature is a ranker, and at least two are needed, not 1"):
        compare_rankers([random_query(4, 1, 0)], simulation())
