"""The checks that show an algorithm right: ``duelbench test``, ``duelbench.testing`` and our tests share this list."""
