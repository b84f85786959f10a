"""What people look at: tables, charts, HTML, Markdown, JUnit; the study and the demo."""
