"""The function of a derived Python text, compiled with source lines for tracebacks and `inspect`."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

_numbers = itertools.count(1)


def compiled(text: str, name: str, known: Mapping[str, Any] = MappingProxyType({})) -> Callable[..., Any]:
    """The function defined in a derived text, with source lines for tracebacks and `inspect`.

    `known` are global names that the text does not define.
    """
    file = f"<derived {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": f"derived_{name}", **known}
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function
