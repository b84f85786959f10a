"""Text with mentions: slotted contexts, corpora and suites, context features, harvesting."""
