"""Reports in HTML, Markdown, LaTeX, CSV and JSON; studies and the demo, which produce a report."""
