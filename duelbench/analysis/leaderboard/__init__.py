"""The leaderboard: regret and ranks of all algorithms on all tables, as a page and as a figure."""
