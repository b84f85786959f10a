"""Comparison of predictions about classes with results on a corpus."""
