"""Views of a sweep, line by line: in a terminal, in Markdown, in LaTeX."""
