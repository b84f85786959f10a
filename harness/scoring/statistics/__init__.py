"""Intervals and tests for mentions that are not independent, because they share entities or contexts."""
