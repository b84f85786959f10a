"""Reports in HTML, Markdown, LaTeX, CSV and JSON, and studies, which end with a report."""
