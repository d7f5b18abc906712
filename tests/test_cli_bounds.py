"""The verb `bounds`: its output, its table, its errors."""

import pytest

from duelbench.bounds import ecw_bound_constant, lower_bound_constant
from duelbench.sources.published_matrices import TABLES
from tests.commands import here


def constants(output):
    """Return the constant of each bound in the printed table, as text."""
    lines = output.split("\nbound ")[1].splitlines()[1:5]
    return {line.split()[0]: line.split()[2] for line in lines}


def test_one_matrix():
    P = TABLES["cyclic4"].matrix().P
    output = here("bounds", "cyclic4").output
    assert output.startswith("Cyclic, K = 4\nKomiyama")
    assert constants(output) == {"LB": "27.55", "ECWB": "49.66", "CCB": "800.0", "RMED": "0.8151"}
    assert f"{lower_bound_constant(P):.2f}" == "27.55"
    assert f"{ecw_bound_constant(P):.2f}" == "49.66"
    assert "tie" not in output
    tennis = here("bounds", "tennis8").output
    assert constants(tennis)["RMED"] == "—"
    assert "attains it; there is no Condorcet winner\n" in tennis
    assert "there is no Condorcet winner" not in output


def test_ties(tmp_path):
    sushi = here("bounds", "sushi16").output
    assert "Exact ties (2–4)" in sushi
    assert constants(sushi)["CCB"] == "infinite"
    assert "decide" not in sushi
    (tmp_path / "tied.csv").write_text(".5,.5,.7\n.5,.5,.5\n.3,.5,.5\n")
    tied = here("bounds", tmp_path / "tied.csv").output
    assert constants(tied)["LB"] == constants(tied)["ECWB"] == "infinite"
    assert "Exact ties (0–1, 1–2): they decide which arm wins" in tied


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sushi16", "--draws", "3"], "single matrix: add --size"),
        (["sushi16", "--min-gap", "0.1"], "--min-gap applies to random choices of arms"),
        (["sushi"], "did you mean 'sushi16'?"),
        (["cyclic4", "-o", "file/table.csv"], "cannot write"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    result = here("bounds", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
