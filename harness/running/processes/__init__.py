"""Tagger processes: how they are started, limited and ended together with their child processes."""
