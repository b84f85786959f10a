"""Intervals and tests for mentions that share entities, contexts or documents and are not independent."""
