"""Planning and playing the experiment that a spec describes."""
