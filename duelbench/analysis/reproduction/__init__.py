"""The reproduction report: statements of papers about their figures, compared with our results."""
