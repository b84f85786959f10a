"""Parsers of tagger output, and the alignment of mentions to the text that was sent."""
