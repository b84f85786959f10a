"""Targeted test suites for entity taggers."""

__version__ = "0.1.0"
