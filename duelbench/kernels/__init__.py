"""Compiled pieces that algorithms share: confidence, votes, divergences, draws, and how all of it is compiled."""
