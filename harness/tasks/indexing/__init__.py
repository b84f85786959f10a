"""Evaluation of index terms (Névéol et al. 2006): similarity of sets of terms, and retrieval by terms."""
