"""Index terms (Névéol et al. 2006): how near two sets of terms are, and whether they find the same texts."""
