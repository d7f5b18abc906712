"""Active sampling: the pair whose vote is expected to say most about the order of the arms."""
