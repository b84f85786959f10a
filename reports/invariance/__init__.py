"""Invariance tests, which run taggers on texts and on perturbed copies of them."""
