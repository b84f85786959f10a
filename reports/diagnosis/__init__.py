"""Diagnosis of a tagger: making a suite, running the tagger on it, and searching for faults."""
