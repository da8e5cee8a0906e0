"""Texts in the drawings and pages that gradcli writes, and the marks that `shared.file_replacement` looks for."""

from __future__ import annotations

import html

from gradcli.shared.message_wording import clean

SVG_MARK = "<!-- Drawn by gradcli -->"
HTML_MARK = '<meta name="generator" content="gradcli">'
PNG_SOFTWARE = {"Software": "Drawn by gradcli"}
"""The metadata of a picture."""


def marked_svg(svg: str) -> str:
    """A drawing with the mark that says whose it is; the declaration of XML stays first."""
    declaration, end, rest = svg.partition("?>\n") if svg.startswith("<?xml") else ("", "", svg)
    return f"{declaration}{end}{SVG_MARK}\n{rest}"


def escaped(text: str) -> str:
    """A text for HTML, with control characters written as escapes."""
    return html.escape(clean(text))
