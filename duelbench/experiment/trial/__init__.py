"""Trying a user's algorithm before it is played, in processes of its own: it may hang, or take its process with it."""
