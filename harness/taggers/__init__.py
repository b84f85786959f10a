"""Bundled taggers, each a separate program."""
