"""Warnings that are ignored for a while, without those shown before being shown again."""

from __future__ import annotations

import re
import warnings
from contextlib import AbstractContextManager
from typing import Any, cast

from gradcli.temporary_settings import temporary_setting


def ignored_warnings(category: type[Warning] = Warning, module: str = "") -> AbstractContextManager[None]:
    """Ignore the warnings of a category, from modules whose names match a regular expression (default: all).

    Python shows a warning once for each line. `warnings.catch_warnings` makes it forget which it has shown, so that a
    loop would show them at every iteration; a filter that is added to the list does not.
    """
    ignoring = ("ignore", None, category, _ModuleNames(module), 0)
    filters = cast(list[Any], warnings.filters)

    def restore() -> None:
        for each in (filters, cast(list[Any], warnings.filters)):  # the user's code may have put a copy in its place
            if ignoring in each:  # or removed all filters
                each.remove(ignoring)

    return temporary_setting(lambda: filters.insert(0, ignoring), restore)


class _ModuleNames:
    """A regular expression for the names of modules. Unlike a compiled one, it is equal to no other."""

    def __init__(self, expression: str) -> None:
        self.match = re.compile(expression).match
