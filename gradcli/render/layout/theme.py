"""The styles by meaning, and the few signs beyond ASCII with what stands for them where they cannot be written.

Colour is redundant: whatever a style says, a word beside it says too.
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

# What stands for a sign on a terminal or in a file that cannot hold it; messages bring more signs than tables do.
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
