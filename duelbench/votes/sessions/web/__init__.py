"""The pages of a session: judges answer in a browser, and the standings follow."""
