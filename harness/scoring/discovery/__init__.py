"""Discovery: which combinations of features a tagger fails at."""
