"""``make fingerprints``: confirm edited source whose paths are as recorded, and what has a new version."""

from __future__ import annotations

import sys

from duelbench.fingerprints.confirm import confirm
from duelbench.fingerprints.paths import subjects
from duelbench.versions.draws import draws
from duelbench.versions.record import FILE, Record, read, write


def main() -> None:
    """Write the record of what is confirmed; exit with 1 if anything is not."""
    before = read() if FILE.is_file() else Record(draws(), {})
    after, wrong = confirm(subjects(), before, draws(), print)
    if after != before:
        write(after)
    print(*wrong, sep="\n", file=sys.stderr, end="\n" if wrong else "")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
