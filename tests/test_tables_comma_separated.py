"""Tables as CSV."""

import io

import pandas as pd

from duelbench.tables.asked import ask
from duelbench.tables.comma_separated import COLUMNS, comma_separated
from duelbench.tables.table import make_table
from tests.tabled import table
from tests.test_tables_table import recommending


def test_a_line_for_each_number(tmp_path):
    text = comma_separated(table(tmp_path, rounds=(100, 1000)))
    lines = text.splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert lines[4:7] == [
        "one,a,copeland,1000,100,1234,12,,,1,1,1",
        "one,b,copeland,1000,100,1240,46,,,2,0,0.91",
        lines[6],
    ]
    assert lines[6].startswith("one,c,copeland,1000,100,99880,320,,,3,0,")
    assert lines[-1] == ",c,rank,1000,,2.50,,,,,0,"
    frame = pd.read_csv(io.StringIO(text))
    assert len(frame) == 2 * 2 * 3 + 2 * 3
    assert frame["value"].notna().all()


def test_shares_have_their_intervals(tmp_path):
    results = recommending(tmp_path)
    lines = comma_separated(make_table(results, ask(results, show="right"))).splitlines()
    assert lines[1] == "one,a,right,1000,100,0.950,,0.900,0.990,1,1,1"
    lines = comma_separated(make_table(results, ask(results, show="simple"))).splitlines()
    assert lines[1] == "one,a,simple,1000,100,0.05000,,,,1,1,"
