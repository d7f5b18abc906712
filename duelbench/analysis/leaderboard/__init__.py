"""What every algorithm costs on every table, with ranks, as a page and as a figure."""
