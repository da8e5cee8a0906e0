"""Views of a sweep by line: for terminals, Markdown, LaTeX and HTML."""
