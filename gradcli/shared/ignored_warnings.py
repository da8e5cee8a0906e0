"""Warnings that are ignored for a while, without those shown before being shown again."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Any, cast

from gradcli.shared.temporary_settings import temporary_setting


def ignored_warnings(category: type[Warning] = Warning, start: str = "") -> AbstractContextManager[None]:
    """Ignore the warnings of a category, from modules whose names have this start (default: all).

    Python shows a warning once for each line. `warnings.catch_warnings` makes it forget which it has shown, so that a
    loop would show them at every iteration; a filter that is added to the list does not.
    """
    ignoring = ("ignore", None, category, _ModuleNames(start), 0)
    filters = cast(list[Any], warnings.filters)

    def restore() -> None:
        for held in (filters, cast(list[Any], warnings.filters)):  # the user's code may have put a copy in its place
            if ignoring in held:  # or removed all filters
                held.remove(ignoring)

    return temporary_setting(lambda: filters.insert(0, ignoring), restore)


class _ModuleNames:
    """The names of modules with some start, to be asked like a regular expression, but equal to no other."""

    def __init__(self, start: str) -> None:
        self.start = start

    def match(self, name: str) -> bool:
        """Whether a name has this start."""
        return name.startswith(self.start)
