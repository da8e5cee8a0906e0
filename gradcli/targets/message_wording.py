"""The words that the errors about targets and points share: quoted text cut to a readable length, near names, lists."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence

from gradcli.errors import PointError

LONGEST_NAME = 80
MOST_NAMES = 5_000
MOST_LISTED = 12


def quoted(text: str, most: int = 60) -> str:
    """`text` in quotes, shortened."""
    return f"'{shortened(text, most)}'"


def shortened(text: str, most: int = 60) -> str:
    """`text` with its middle left out where it is long, and its unprintable characters escaped."""
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[-most // 2 :]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that `name` was most likely meant to be, or None where none is near."""
    import difflib
    from itertools import islice

    known = list(islice(names, MOST_NAMES))
    if len(name) > LONGEST_NAME:
        return None
    folded = {other.lower(): other for other in reversed(known)}
    near = difflib.get_close_matches(name.lower(), folded, n=1)
    return folded[near[0]] if near else None


def did_you_mean(name: str, names: Iterable[str], before: str = "", after: str = "") -> str | None:
    """The hint that names the nearest of `names`, with what stands before and after it; None where none is near."""
    near = nearest(name, names)
    return f"Did you mean {before}{near}{after}?" if near else None


def near_file(name: str, names: Iterable[str]) -> str | None:
    """The one of the files `names` that `name` was most likely meant to be, whatever its ending."""
    files = {os.path.splitext(each)[0]: each for each in names}
    near = nearest(os.path.splitext(name)[0], files)
    return files[near] if near else None


def listed(items: Sequence[str]) -> str:
    """The items with commas; of many, the first ones and the number of the others."""
    shown = ", ".join(items[:MOST_LISTED])
    more = len(items) - MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def counted(things: Collection[object], word: str) -> str:
    """`one value`, `3 values`."""
    return f"one {word}" if len(things) == 1 else f"{len(things)} {word}s"


def refuse_unknown(inputs: Iterable[str], known: Collection[str]) -> None:
    """Refuse the first of the inputs that is not among the known ones.

    Raises:
        PointError: there is one.
    """
    for name in inputs:
        if name not in known:
            hint = did_you_mean(name, known) or (f"The inputs are {listed(list(known))}." if known else None)
            raise PointError(f"There is no input named {quoted(name)}.", hint=hint)
