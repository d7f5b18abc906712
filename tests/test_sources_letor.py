"""Files in the format of LETOR and MSLR, written here, and `duelbench datasets build letor`."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.errors import UserError
from duelbench.sources.datasets import dataset
from duelbench.sources.letor import read_queries

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


def build(*arguments):
    return CliRunner().invoke(main, ["datasets", "build", "letor", *map(str, arguments)])


def test_queries_of_a_file(tmp_path):
    first, second = read(write(tmp_path / "a.txt", GOOD))
    assert first.grades.tolist() == [2, 0] and second.grades.tolist() == [1, 4, 0]
    assert first.features.tolist() == [[0.5, -0.001, 7], [0, 4, 0.25]]
    assert second.features.tolist() == [[2, 0, 1], [3, 1, 9], [0, 0, 0]]


def test_chosen_features_in_their_order(tmp_path):
    first, second = read(write(tmp_path / "a.txt", GOOD), features=[3, 1, 5])
    assert first.features.tolist() == [[7, 0.5, 0], [0.25, 0, 0]]
    assert second.features.tolist() == [[1, 2, 0], [9, 3, 0], [0, 0, 0]]


def test_several_files_and_all_bytes_are_counted(tmp_path):
    one, two = write(tmp_path / "a.txt", GOOD), write(tmp_path / "b.txt", GOOD.replace("\n", "\r\n"))
    counted = []
    queries = read(one, two, advance=counted.append)
    assert len(queries) == 4  # the same query in another file is another query
    assert queries[2].features.tolist() == queries[0].features.tolist()
    assert sum(counted) == one.stat().st_size + two.stat().st_size


def test_a_query_is_there_before_the_next_but_one_is_read(tmp_path):
    counted = []
    queries = read_queries([write(tmp_path / "a.txt", GOOD)], None, 4, counted.append)
    next(queries)
    assert sum(counted) == len(GOOD.split("1 qid:x7")[0])


LINE = "1 qid:1 1:1 2:2\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", None, "there is no document in this file"),
        ("# nothing\n", None, "there is no document in this file"),
        (LINE + "5 qid:1 1:1 2:2\n", 2, "the grade is '5': it must be a whole number from 0 to 4"),
        (LINE + "-1 qid:1 1:1 2:2\n", 2, "the grade is '-1'"),
        (LINE + "1.0 qid:1 1:1 2:2\n", 2, "the grade is '1.0'"),
        (LINE + "1 1:1 2:2\n", 2, "a line is a grade, qid:<query> and <feature>:<value> pairs"),
        (LINE + "1 qid: 1:1 2:2\n", 2, "a line is a grade"),
        (LINE + "1\n", 2, "a line is a grade"),
        (LINE + "1 qid:1 1:1 2\n", 2, "'2' is no <feature>:<value>"),
        (LINE + "1 qid:1 1:1 2:two\n", 2, "'2:two' is no <feature>:<value>"),
        (LINE + "1 qid:1 1:1 2:2:3\n", 2, "'2:2:3' is no"),
        (LINE + "1 qid:1 1 1 2:2\n", 2, "'1' is no"),
        (LINE + "1 qid:1 1:1 b:2\n", 2, "'b:2' is no"),
        (LINE + "1 qid:1 0:1 2:2\n", 2, "there is no feature 0: they are numbered from 1"),
        (LINE + "1 qid:1 1:1 1:2\n", 2, "a feature is twice in this line"),
        (LINE + "1 qid:1 1:1 2:nan\n", 2, "every value must be a finite number"),
        (LINE + "1 qid:1 1:inf 2:1\n", 2, "every value must be a finite number"),
        (LINE + "1 qid:2 1:1 2:2\n\n" + LINE, 4, "query 1 is back: its lines must follow each other"),
        (LINE + "1 qid:2 1:1 2:2 3:1\n", 2, "feature 3 is not in the first query, which ends at 2"),
    ],
)
def test_broken_lines(tmp_path, text, line, says):
    file = write(tmp_path / "broken.txt", text)
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        read(file)
    assert (caught.value.source, caught.value.line) == (str(file), line)


def test_a_feature_that_is_new_in_the_second_file(tmp_path):
    files = write(tmp_path / "a.txt", LINE), write(tmp_path / "b.txt", "1 qid:1 1:1 3:2\n")
    with pytest.raises(UserError, match="feature 3 is not in the first query") as caught:
        read(*files)
    assert (caught.value.source, caught.value.line) == (str(files[1]), 1)
    assert read(*files, features=[1, 2, 3])[1].features.tolist() == [[1, 0, 2]]


def test_grades_of_other_collections(tmp_path):
    file = write(tmp_path / "a.txt", "2 qid:1 1:1\n")
    assert read(file, top_grade=2)[0].grades.tolist() == [2]
    with pytest.raises(UserError, match="whole number from 0 to 1"):
        read(file, top_grade=1)


def collection(queries=30, documents=12):
    """Feature 1 knows the grades, 2 is their opposite, 3 is noise."""
    rng = np.random.default_rng(4)
    lines = []
    for query in range(queries):
        for grade in rng.integers(0, 5, documents):
            noise = rng.normal(size=2)
            lines.append(f"{grade} qid:{query} 1:{grade + 0.1 * noise[0]:.4f} 2:{-grade} 3:{noise[1]:.4f}\n")
    return "".join(lines)


@pytest.mark.parametrize("model", ["perfect", "navigational", "informational"])
def test_the_verb_makes_a_matrix_that_a_spec_reads(tmp_path, model):
    file, target = write(tmp_path / "train.txt", collection()), tmp_path / "m.csv"
    done = build(file, "--click-model", model, "-o", target, "--interleavings", 20, "-j", 1)
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{target}: 3 rankers, {model} users, lists of 10, 30 queries, ")
    assert re.search(r"standard error of an entry: 0\.0\d+ at most", done.output)
    P = dataset(file=target).origin.P
    assert P[0, 1] > P[0, 2] > 0.5 and P[2, 1] > 0.5
    text = target.read_text()
    assert text.splitlines()[1] == "# Rankers: features 1-3 of train.txt"
    again = build(file, "--click-model", model, "-o", target, "--interleavings", 20, "-j", 2)
    assert again.output == done.output and target.read_text() == text
    assert done.stderr == ""  # no progress bar off a terminal


def test_options_change_what_they_say(tmp_path):
    file = write(tmp_path / "train.txt", collection())

    def matrix(*options):
        target = tmp_path / "m.npz"
        done = build(file, "--click-model", "perfect", "-o", target, "-j", 1, *options)
        assert done.exit_code == 0, done.output
        return dataset(file=target).origin

    base = matrix()
    assert matrix("--seed", 0, "--cutoff", 10, "--interleavings", 10, "--top-grade", 4).digest() == base.digest()
    assert matrix("--features", "1-3").digest() == base.digest()
    assert (
        len({base.digest(), *(matrix(*o).digest() for o in (["--seed", 1], ["--cutoff", 3], ["--interleavings", 5]))})
        == 4
    )
    turned = matrix("--features", "3,1")
    assert turned.arms == 2 and turned.P[0, 1] == pytest.approx(base.P[2, 0], abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["train.txt"], "Missing option '--click-model'"),
        (["--click-model", "perfect"], "Missing argument"),
        (["train.txt", "--click-model", "perfct"], "'perfct' is not one of"),
        (["none.txt", "--click-model", "perfect"], "none.txt: there is no such file"),
        (["train.txt", "none.txt", "--click-model", "perfect"], "none.txt: there is no such file"),
        (["bad.txt", "--click-model", "perfect"], "bad.txt:2: the grade is 'x'"),
        (["train.txt", "--click-model", "perfect", "--features", "1"], "name two or more different features"),
        (["train.txt", "--click-model", "perfect", "--features", "1,1"], "name two or more different features"),
        (["train.txt", "--click-model", "perfect", "--features", "0-2"], "numbered from 1"),
        (["train.txt", "--click-model", "perfect", "--features", "1;2"], "write 1-5,8"),
        (["train.txt", "--click-model", "perfect", "-o", "m.txt"], "a matrix is written to .csv, .npy or .npz"),
        (["train.txt", "--click-model", "perfect", "-o", "no/m.csv"], "no/m.csv: cannot write here"),
        (["train.txt", "--click-model", "perfect", "--cutoff", "0"], "0 is not in the range"),
    ],
)
def test_mistakes_write_nothing(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "train.txt", collection(2, 3))
    write(tmp_path / "bad.txt", LINE + "x qid:1 1:1\n")
    write(tmp_path / "letor-perfect.csv", "as it was")
    failed = build(*arguments)
    assert failed.exit_code == 2 and says in failed.stderr and "Traceback" not in failed.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "letor-perfect.csv", "train.txt"]
    assert (tmp_path / "letor-perfect.csv").read_text() == "as it was"
