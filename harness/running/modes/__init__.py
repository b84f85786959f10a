"""The modes in which a tagger runs."""
