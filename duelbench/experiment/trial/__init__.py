"""Trial runs of a user's algorithm before it is played, in separate processes, since it may hang or crash."""
