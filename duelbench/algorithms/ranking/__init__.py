"""Identification of an order, the top k or tiers of arms."""
