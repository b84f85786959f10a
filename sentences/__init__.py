"""Readers, writers and text features for contexts (sentences with slots), corpora and suites."""
