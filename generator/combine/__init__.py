"""Ways to combine entities with contexts."""
