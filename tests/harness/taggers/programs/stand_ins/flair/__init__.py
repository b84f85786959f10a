"""Substitute for the library flair."""

__version__ = "0.0"
