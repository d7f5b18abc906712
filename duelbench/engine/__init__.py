"""The compiled round loop, random streams and checkpoints."""
