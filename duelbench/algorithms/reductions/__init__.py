"""Dueling bandits made of ordinary ones."""
