"""Acceptance tests: criteria per class and notion, checked on runs."""
