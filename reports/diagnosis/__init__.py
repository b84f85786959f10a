"""Diagnosis of a tagger: the whole job, from a suite to an answer of a few lines."""
