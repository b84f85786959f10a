"""Invariance: a tagger's answer to a text against its answer to the same text perturbed, without gold."""
