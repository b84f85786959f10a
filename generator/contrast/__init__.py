"""Minimal pairs: pairs of cases that differ in only one feature."""
