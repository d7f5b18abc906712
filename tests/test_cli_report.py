"""``duelbench report``: the page is written where the results are."""

from duelbench.layout import REPORT
from tests.commands import here


def test_the_page_is_written_beside_the_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing = here("report")
    assert missing.exit_code == 2
    assert missing.stderr == "error: there is no directory results: `make figures` makes results to report on\n"
    (tmp_path / "results").mkdir()
    done = here("report")
    assert done.exit_code == 0
    count, said, path = done.stdout.rsplit(maxsplit=2)[0].split()[0], "not run", done.stdout.split()[-1]
    assert path == f"results/{REPORT}"
    page = (tmp_path / path).read_text()
    assert int(count) == page.count("| not run |") > 60
    assert said in done.stdout
