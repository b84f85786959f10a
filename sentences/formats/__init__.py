"""Corpus and suite formats: one way in, one way out, and a report of what a format cannot store.

The public names are `read_corpus`, `read_predictions` and `write_corpus` (of `registry`); a format's own
module also offers its parsing and serialising functions on strings and bytes.
"""

from .registry import FORMAT_NAMES, get_format, read_corpus, read_predictions, write_corpus

__all__ = ["FORMAT_NAMES", "get_format", "read_corpus", "read_predictions", "write_corpus"]
