"""Studies: whole experiments described by one file."""
