"""The function of a derived Python text, compiled with source lines for tracebacks and `inspect`."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

_numbers = itertools.count(1)


def compiled(text: str, name: str) -> Callable[..., Any]:
    """The function defined in a derived text, with source lines for tracebacks and `inspect`."""
    file = f"<derived {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": f"derived_{name}"}
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function
