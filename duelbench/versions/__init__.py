"""The version of the code that determines a run: a recorded version, or a digest if the code was edited since.

``duelbench/fingerprints.json`` has, for each algorithm, each generator and the engine, its version, the digest of its
source and the digests of its short runs. If the source has the recorded digest, its version identifies it. ``make
fingerprints`` (``tests/short_runs.py``) plays the short runs of edited source and records the digests.
"""
