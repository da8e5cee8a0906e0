"""The marks by which a drawing or a page is known to be gradcli's own, so that it may be written anew."""

from __future__ import annotations

SVG_MARK = "<!-- Drawn by gradcli -->"
HTML_MARK = '<meta name="generator" content="gradcli">'
PNG_SOFTWARE = {"Software": "Drawn by gradcli"}
"""The metadata of a picture."""
MARKS = (SVG_MARK, HTML_MARK, "Software\0Drawn by gradcli")
"""One of these stands near the beginning of a file."""


def marked_svg(svg: str) -> str:
    """A drawing with the mark that says whose it is; the declaration of XML stays first."""
    declaration, end, rest = svg.partition("?>\n") if svg.startswith("<?xml") else ("", "", svg)
    return f"{declaration}{end}{SVG_MARK}\n{rest}"
