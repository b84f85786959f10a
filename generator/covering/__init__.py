"""Covering arrays: the fewest cases in which every possible combination of values occurs."""
