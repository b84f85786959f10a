"""Modes in which a tagger runs: one module per mode, each with ``send(attempt: Attempt) -> BatchReply``."""
