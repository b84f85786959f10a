"""Processes, shards, clusters, and the alignment of a tagger's output to the text."""
