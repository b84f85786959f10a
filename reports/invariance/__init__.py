"""Invariance tests: taggers are run over texts and over perturbed copies of them."""
