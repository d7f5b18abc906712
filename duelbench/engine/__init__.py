"""The compiled round loop, random streams and checkpoints."""

VERSION = 1
"""To be raised when a change of the engine is meant to change runs; ``make fingerprints`` notices changes."""
