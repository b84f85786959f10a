"""Pairing, notions of correctness, measures, classes, statistics."""
