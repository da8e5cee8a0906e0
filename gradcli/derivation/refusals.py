"""The error for a construct that cannot be derived, with its name and line."""

from __future__ import annotations

from typing import Any

from gradcli.errors import UnsupportedError

STRAIGHT = "`gradcli derive --straight` writes out the recorded run at the point, whatever the source is."
OF_NUMBERS = "Write a function of numbers, lists and arrays that calls it, or leave the input out with --wrt."


def refusal_at(file: str | None, node: Any, what: str, hint: str = "", *, runs: bool = True) -> UnsupportedError:
    """The error for a construct at a node of the user's source.

    Args:
        file, node: the place.
        what: the construct.
        hint: another way to write it.
        runs: whether the recorded run could be written out instead, which the hint then says.
    """
    line = getattr(node, "lineno", None)
    hint = " ".join(filter(None, (hint, STRAIGHT if runs else "")))
    return UnsupportedError(f"derive does not know {what}", hint=hint, file=file, line=line)
