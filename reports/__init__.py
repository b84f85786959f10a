"""Reports in HTML, Markdown, LaTeX, CSV and JSON, and studies, each of which produces a report."""
