"""Parts of formulas in the syntax of other tools, in gradcli's."""

from __future__ import annotations

import re
from collections.abc import Callable

ROWS = r"[^\[\];]*(?:;[^\[\];]*)+|\s*[-+.\d][^\s\[\],]*(?:\s+[-+.\d][^\s\[\],]*)+\s*"

_SPELLINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\.(?=[\^*/])"), ""),
    (re.compile(r"\b([^\W\d]\w*?)_(?=[\s,)])"), r"\1"),
    (re.compile(r"\b([A-Z]\w*)\[([^\[\]]*)\]"), lambda match: f"{match[1].lower()}({match[2]})"),
    (re.compile(r"([^\W\d]\w*)\.T\b"), r"transpose(\1)"),
    (re.compile(rf"\[({ROWS})\]"), lambda match: rows(match[1])),
)


def spelled(formula: str) -> str:
    """A formula of another language in gradcli's syntax: `np.sin(x)`, `Sin[x]` and `x.^2`."""
    for pattern, spelling in _SPELLINGS:
        formula = pattern.sub(spelling, formula)
    return formula


def rows(text: str) -> str:
    """The rows of a matrix as lists, and a single row as one; their numbers may be separated by spaces."""
    lists = [f"[{', '.join(row.replace(',', ' ').split())}]" for row in text.split(";") if row.strip()]
    return f"[{', '.join(lists)}]" if ";" in text else lists[0]
