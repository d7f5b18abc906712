"""What a spec asks for, and playing it."""
