"""The error for a construct that cannot be derived, with its name and line."""

from __future__ import annotations

from typing import Any

from gradcli.errors import UnsupportedError

STRAIGHT = "`gradcli derive --straight` writes out the recorded run at the point, whatever the source is."


def refuse(file: str | None, node: Any, what: str, hint: str = STRAIGHT) -> UnsupportedError:
    """The error for a construct at a node of the user's source."""
    line = getattr(node, "lineno", None)
    return UnsupportedError(f"derive does not know {what}", hint=hint, file=file, line=line)
