"""Scoring of taggers: pairing of mentions, notions of correctness, measures, classes and statistics."""
