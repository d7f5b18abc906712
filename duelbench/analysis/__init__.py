"""What is computed from results."""
