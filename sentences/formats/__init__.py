"""Readers and writers of corpus formats, with a report of data that a format cannot store.

The main functions are `read_corpus`, `read_predictions` and `write_corpus`. The modules of the formats also
have functions that parse bytes or text.
"""

from .registry import FORMAT_NAMES, get_format, read_corpus, read_predictions, write_corpus

__all__ = ["FORMAT_NAMES", "get_format", "read_corpus", "read_predictions", "write_corpus"]
