"""The modes in which a tagger runs: one module per mode, with ``send(attempt: Attempt) -> BatchReply``."""
