"""Diagnosis of a tagger: make a suite, run the tagger, search for faults, and answer in a few lines."""
