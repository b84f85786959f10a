"""Modes of running a tagger; each has a module with a function ``send(attempt: Attempt) -> BatchReply``."""
