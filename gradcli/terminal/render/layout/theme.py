"""The styles by meaning, and the non-ASCII symbols with their ASCII replacements.

Colour is redundant: every style is accompanied by a word.
"""

from __future__ import annotations

TITLE = "gradcli.title"
QUIET = "gradcli.quiet"
NAME = "gradcli.name"
RESULT = "gradcli.result"
OPERATION = "gradcli.operation"
GOOD = "gradcli.good"
BAD = "gradcli.bad"
DOUBT = "gradcli.doubt"
NOTE = "gradcli.note"
WARNING = "gradcli.warning"
ERROR = "gradcli.error"
EXAMPLE = "gradcli.example"
PLAIN = ""

STYLES = {
    TITLE: "bold",
    QUIET: "dim",
    NAME: "cyan",
    RESULT: "bold",
    OPERATION: "magenta",
    GOOD: "green",
    BAD: "bold red",
    DOUBT: "yellow",
    NOTE: "cyan",
    WARNING: "yellow",
    ERROR: "bold red",
    EXAMPLE: "cyan",
}

SEVERITIES = {"note": NOTE, "warning": WARNING, "error": ERROR}

RULE = "─"
ELLIPSIS = "…"
PLUS_MINUS = "±"
TIMES = "\N{MULTIPLICATION SIGN}"
NOTHING = "—"
DOT = "·"
PARTIAL = "∂"

# Replacements for symbols that a terminal or file cannot encode; messages use more symbols than tables do.
ASCII = str.maketrans(
    {
        RULE: "-",
        ELLIPSIS: "...",
        PLUS_MINUS: "+-",
        TIMES: "x",
        NOTHING: "-",
        DOT: "|",
        PARTIAL: "d",
        "\N{EN DASH}": "-",
        "\N{MINUS SIGN}": "-",
        "├": "|",
        "└": "`",
        "│": "|",
        "→": "->",
        "ε": "e",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "≈": "~",
        "²": "^2",
        "“": '"',
        "”": '"',
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    }
)
