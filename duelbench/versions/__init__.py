"""Which version of the code determines a run: the versions that are recorded, and digests of what was edited since.

``duelbench/fingerprints.json`` has, for each algorithm, each generator and the engine, its version, the digest of its
source and the digests of its short runs. Source with the recorded digest is identified by its version alone. ``make
fingerprints`` (``tests/short_runs.py``) plays the short runs of edited source and records it.
"""
