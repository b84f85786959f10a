"""What a tagger does with texts that are made to find out one thing about it."""
