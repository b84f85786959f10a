"""Collecting: from scored runs, comparisons and findings to a report."""
