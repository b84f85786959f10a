"""Contexts (sentences with slots), corpora and suites: readers, writers, and features of their texts."""
