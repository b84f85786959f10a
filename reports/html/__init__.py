"""HTML output of a report: one file that works offline."""
