"""The compiled round loop, random streams and checkpoints."""

VERSION = 2
"""Increase this when a change of the engine is meant to change runs; ``make fingerprints`` detects such changes."""
