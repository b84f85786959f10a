"""Acceptance tests: criteria for classes of mentions, checked on runs."""
