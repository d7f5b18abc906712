"""``duelbench plot -f html``: one page with the figures of results, for a browser that needs no network."""

from duelbench.plots.interactive.page import PAGE, write_page

__all__ = ["PAGE", "write_page"]
