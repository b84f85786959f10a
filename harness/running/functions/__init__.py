"""Python functions as taggers: how they are called, and the answers that they may return."""
