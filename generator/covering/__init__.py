"""Covering arrays: as few cases as possible that contain every possible combination of feature values."""
