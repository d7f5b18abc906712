"""``make fingerprints``: confirm edited source whose paths are as recorded, and what has a new version."""

from __future__ import annotations

import sys

from duelbench.fingerprints.confirm import confirm
from duelbench.fingerprints.paths import subjects
from duelbench.versions.draws import draws
from duelbench.versions.record import FILE, Record, read, write


def main() -> None:
    """Write the record if everything is confirmed; exit with 1 if anything is not."""
    before = read() if FILE.is_file() else Record(draws(), {})
    after, wrong = confirm(subjects(), before, draws(), print)
    if wrong:
        print(*wrong, "nothing is recorded", sep="\n", file=sys.stderr)
        sys.exit(1)
    if after != before:
        write(after)


if __name__ == "__main__":
    main()
