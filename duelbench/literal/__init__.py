"""Every algorithm again, literally from its paper: plain NumPy, slow, and independent of the rest of the package."""
