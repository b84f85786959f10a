"""Diagnosis of a tagger, which makes a suite, runs the tagger on it and searches for faults."""
