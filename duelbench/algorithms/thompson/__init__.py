"""Thompson sampling: algorithms that choose duels by posterior draws of the preferences."""
