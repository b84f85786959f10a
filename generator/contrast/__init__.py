"""Minimal pairs: cases alike in everything but one feature."""
