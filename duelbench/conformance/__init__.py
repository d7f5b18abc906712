"""The checks of an algorithm that ``duelbench test``, ``duelbench.testing`` and our tests share."""
