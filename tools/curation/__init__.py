"""Generation of the bundled entities and attested contexts from manually curated tables."""
