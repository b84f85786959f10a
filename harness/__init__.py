"""Subpackages that run taggers, score and compare their output, and discover their weaknesses."""
