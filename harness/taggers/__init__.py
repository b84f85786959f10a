"""Bundled taggers, each of which is a separate program."""
