"""Predictions about classes, held against a corpus."""
