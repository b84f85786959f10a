"""Discovery of combinations of features for which a tagger makes many errors."""
