"""Acceptance: criteria by class and notion, judged on runs."""
