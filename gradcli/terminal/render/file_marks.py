"""Marks in the drawings and pages that gradcli writes. Only files with such a mark may be replaced."""

from __future__ import annotations

SVG_MARK = "<!-- Drawn by gradcli -->"
HTML_MARK = '<meta name="generator" content="gradcli">'
PNG_SOFTWARE = {"Software": "Drawn by gradcli"}
"""The metadata of a picture."""
MARKS = (SVG_MARK, HTML_MARK, "Software\0Drawn by gradcli")
"""The texts to look for near the beginning of a file."""


def marked_svg(svg: str) -> str:
    """A drawing with the mark that says whose it is; the declaration of XML stays first."""
    declaration, end, rest = svg.partition("?>\n") if svg.startswith("<?xml") else ("", "", svg)
    return f"{declaration}{end}{SVG_MARK}\n{rest}"
