"""``duelbench test`` and ``duelbench new``: verdicts and written files."""

import sys
from pathlib import Path

import pytest

from duelbench import testing
from duelbench.conformance import case, verdicts
from duelbench.conformance.case import Size
from tests.commands import here
from tests.proved import PLAIN, REFERENCE, changed

pytest_plugins = ["pytester"]
QUICK = Size(0.05, 0.03, 0.05, 0.03, 60)


@pytest.fixture
def beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(case, "SMALL", QUICK)
    (tmp_path / "mine.py").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "plain.py").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    return tmp_path


def test_lines(beside):
    """Two runs print the same lines."""
    arguments = "test", "mine.py:MyPolicy", "--against", "plain.py:my_policy", "--instance", "two.csv", "--quick"
    done, again = here(*arguments), here(*arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == again.stdout
    lines = done.stdout.splitlines()
    assert lines[0] == "mine.py:MyPolicy on two.csv"
    assert [line[5:29].strip() for line in lines[2:-2]] == list(verdicts.NAMES)
    marks = dict(zip(verdicts.NAMES, (line.split()[0] for line in lines[2:-2]), strict=True))
    assert {name for name, each in marks.items() if each == "-"} == {
        "declaration",
        "recommendation",
        "off-policy",
        "compiled = interpreted",
    }
    assert set(marks.values()) == {"ok", "-"}
    assert "are the same duel by duel" in lines[-3]
    assert "more or less mean regret would be detected" in done.stdout
    assert lines[-1] == "no check failed"


@pytest.mark.parametrize(
    ("change", "instance", "code", "verdict", "last"),
    [
        ("1", "cyclic4", 0, "?    holds  no answer in 300 rounds is a hold. If it should have holds, give it larger",
         "no check failed, 1 had nothing to check"),
        ("min(last, due) - t + 1", "two.csv", 1, "FAIL holds  on two.csv: select answers", "1 of 1 checks failed"),
    ],
)  # fmt: skip
def test_verdicts_on_holds(beside, monkeypatch, change, instance, code, verdict, last):
    monkeypatch.setattr(verdicts, "NAMES", ("holds",))
    (beside / "mine.py").write_text(changed(PLAIN, ("min(last, due - 1) - t + 1", change)), encoding="utf-8")
    done = here("test", "mine.py:MyPolicy", "--instance", instance, "--quick")
    assert done.exit_code == code, done.output
    assert f"\n{verdict}" in done.stdout
    assert done.stdout.splitlines()[-1] == last


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rucp"], "unknown algorithm 'rucp' (did you mean 'rucb'?)"),
        (["mine.py:Mine"], "no Algorithm with a name called 'Mine'"),
        (["mine.py:MyPolicy", "--against", "plain.py"], "plain.py names no function: write plain.py:function"),
        (["rucb", "--instance", "btl-uniform"], "the checks allow 30 at most"),
    ],
)
def test_test_mistakes(arguments, said, beside):
    done = here("test", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_catalogue_against_a_function(beside, monkeypatch):
    """The package has no reference implementations of the catalogue; a function for another algorithm fails."""
    monkeypatch.setattr(verdicts, "NAMES", ("reference",))
    arguments = "test", "rucb", "--instance", "cyclic4", "--quick"
    assert "-    reference  no reference implementation is given: --against FILE.py:function" in here(*arguments).stdout
    done = here(*arguments, "--against", "plain.py:my_policy")
    assert done.exit_code == 1, done.output
    assert "FAIL reference  on cyclic4: " in done.stdout


# duelbench new


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "others", "runs", "silent", "holds", "passed"),
    [
        ([], ["d-ts", "rucb", "rmed1"], 4, ("off-policy", "declaration", "recommendation"), "end on their own", 8),
        (["--program"], ["select", "knockout", "d-ts"], 8, ("off-policy",), "blocks draw what happens in them", 10),
    ],
)
def test_commands_after_new(tmp_path, monkeypatch, inner, options, others, runs, silent, holds, passed):
    """The printed commands run, here with less work."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(case, "SMALL", QUICK)
    done = here("new", "two_words.py", *options)
    assert done.exit_code == 0, done.output
    first, *rest = done.stdout.splitlines()
    assert first == "wrote two_words.py, two_words_reference.py, test_two_words.py, two_words.yaml. Next:"
    commands = [line.split() for line in rest if line]
    assert [each[:2] for each in commands] == [
        ["duelbench", "check"], ["duelbench", "test"], ["pytest", "test_two_words.py"], ["duelbench", "run"],
    ]  # fmt: skip
    check, test, suite, run = commands
    done = here(*check[1:])
    assert done.exit_code == 0, done.output
    assert done.stdout.split("algorithms ")[1].partition("\n")[0].endswith(", ".join(["", *others]))
    Path("two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    done = here(*test[1:], "--instance", "cyclic4", "--instance", "two.csv", "--quick")
    assert done.exit_code == 0, done.output
    said = {line[5:29].strip(): line for line in done.stdout.splitlines()}
    assert all(said[name].startswith("-" if name in silent else "ok") for name in verdicts.NAMES)
    assert holds in said["holds"]
    assert "duel by duel" in said["reference"]
    spec = Path("two_words.yaml").read_text().replace("1e5", "1e3").replace("runs: 20", "runs: 2")
    Path("two_words.yaml").write_text(spec.replace("".join(f"  - {name}\n" for name in others), ""))
    done = here(*run[1:], "-j", 1)
    assert done.exit_code == 0, done.output
    assert f"runs: {runs} played" in done.stdout
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("two_words", "two_words_reference", "test_two_words"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(testing.checks.__kwdefaults__, "size", QUICK)
    done = inner.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist", "-q", str(tmp_path / suite[1]))
    done.assert_outcomes(passed=passed, skipped=11 - passed)


@pytest.mark.parametrize("there", ["mine.py", "mine_reference.py", "test_mine.py", "mine.yaml"])
def test_new_overwrites_nothing(there, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(there).write_text("mine")
    done = here("new", "mine.py")
    assert done.exit_code == 2
    assert f"{there} exists already and is not overwritten" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert Path(there).read_text() == "mine"
