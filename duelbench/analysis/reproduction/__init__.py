"""What the papers state about their figures, beside what our results say."""
