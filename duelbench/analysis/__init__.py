"""Statistics, tables and reports computed from results."""
