"""Covering arrays: the fewest cases in which every combination of feature values that can occur does occur."""
