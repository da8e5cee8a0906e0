"""Warnings that are ignored for a while, without those shown before being shown again."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast


@contextmanager
def ignored_warnings(category: type[Warning] = Warning, module: str = "") -> Iterator[None]:
    """Ignore the warnings of a category, from modules whose names match a regular expression (default: all).

    Python shows a warning once for each line. `warnings.catch_warnings` makes it forget which it has shown, so that a
    loop would show them at every iteration; a filter that is added to the list does not.
    """
    ignoring = ("ignore", None, category, re.compile(module) if module else None, 0)
    filters = cast(list[Any], warnings.filters)
    filters.insert(0, ignoring)
    try:
        yield
    finally:
        place = next((n for n, each in enumerate(filters) if each is ignoring), None)
        if place is not None:  # the user's code may have removed all filters
            del filters[place]
