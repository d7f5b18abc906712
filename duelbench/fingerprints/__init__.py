"""The short runs of each algorithm, each generator and the engine, and ``make fingerprints``, which records edits.

The record is ``duelbench/fingerprints.json`` (package ``versions``). If no path of edited source differs from the
recorded one, its new digest is recorded; a changed path needs a higher ``version``.
"""
