"""Invariance tests, which run taggers over texts and over perturbed copies of them."""
