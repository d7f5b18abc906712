"""The change detection of MDB and DETECT: the last w outcomes of a pair, in two halves."""


class Window:
    def __init__(self, w):
        self.w, self.outcomes = w, []

    def has_changed(self, outcome, b):
        """Push an outcome; whether the window is full and the sums of its halves differ by more than b."""
        self.outcomes = [*self.outcomes, outcome][-self.w :]
        half = self.w // 2
        older, newer = self.outcomes[:half], self.outcomes[half:]
        return len(self.outcomes) == self.w and abs(sum(newer) - sum(older)) > b


def even(x):
    """The least even integer >= ceil(x), at least 2."""
    n = max(2, -int(-x // 1))
    return n + n % 2
