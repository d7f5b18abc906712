"""Which paths the confirmed code of each algorithm, each generator and the engine plays.

``duelbench/fingerprints.json`` has, for each of these subjects, its version, the digest of its source and the digests
of its short runs (``paths``). Source with the recorded digest is confirmed. ``make fingerprints`` replays the runs of
edited source and confirms it if no path has changed; a changed path needs a higher ``version``. ``draws`` tells whether
NumPy still draws the random numbers with which the paths were recorded.
"""
