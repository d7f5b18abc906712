"""The compiled round loop, random streams, checkpoints and sessions."""
