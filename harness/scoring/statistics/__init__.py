"""Intervals and tests where mentions are not independent: they share entities, contexts, documents."""
