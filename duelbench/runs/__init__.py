"""Planning, executing and keeping runs."""
