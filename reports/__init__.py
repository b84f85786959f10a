"""Reports as HTML, Markdown, LaTeX, CSV and JSON; studies and the demo, which end with one."""
