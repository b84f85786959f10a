"""Taggers run over texts and over perturbed copies of them."""
