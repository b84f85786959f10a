"""Covering arrays: small sets of cases that contain every possible combination of feature values."""
