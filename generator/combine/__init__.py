"""Ways to combine entities with contexts: sample, product, zip and each."""
