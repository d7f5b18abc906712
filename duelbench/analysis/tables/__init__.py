"""Tables for a paper: rounded numbers, the best marked, and those that do not differ significantly from it."""
