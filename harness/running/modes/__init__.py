"""The modes in which a tagger runs: a module each, with ``send(attempt: Attempt) -> Reply``."""
