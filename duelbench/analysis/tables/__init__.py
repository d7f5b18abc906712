"""Tables for a paper: numbers rounded to what is known of them, the best marked, and what cannot be told from it."""
