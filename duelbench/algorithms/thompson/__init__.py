"""Thompson sampling: posterior draws of the preferences choose the duel."""
