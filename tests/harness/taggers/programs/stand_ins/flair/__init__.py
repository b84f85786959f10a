"""Stands in for flair."""

__version__ = "0.0"
