"""Minimal pairs: two cases that differ in one feature only."""
