"""Wording shared by messages: clean texts, shortened quotations, similar names, lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gradcli.errors import PointError

LONGEST_NAME = 80
MOST_NAMES = 5_000
MOST_LISTED = 12


def quoted(text: str, most: int = 60) -> str:
    """`text` shortened and in quotes."""
    return f"'{shortened(text, most)}'"


def shortened(text: str, most: int = 60) -> str:
    """`text` with the middle of a long text omitted and unprintable characters escaped."""
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[-most // 2 :]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def sentence(text: str) -> str:
    """`text` with a full stop, unless it ends in a question."""
    return text if text.endswith("?") else f"{text}."


def nearest_name(name: str, names: Iterable[str], least: float = 0.6) -> str | None:
    """The name that is most similar to `name` in any capitalisation.

    Args:
        least: the similarity from which names count as similar, as in `difflib`.

    Returns:
        The name, or None if none is similar.
    """
    import difflib
    from itertools import islice

    if len(name) > LONGEST_NAME:
        return None
    typed = name.lower()
    folded = {known.lower(): known for known in reversed(list(islice(names, MOST_NAMES)))}
    moved = [known for known in folded if len(known) > 1 and sorted(known) == sorted(typed)]
    if near := ([typed] if typed in folded else moved) or difflib.get_close_matches(typed, folded, n=1, cutoff=least):
        return folded[near[0]]
    return None


def did_you_mean(name: str, names: Iterable[str], before: str = "", after: str = "") -> str | None:
    """A hint with the most similar name between `before` and `after`, or None if none is similar."""
    near = nearest_name(name, names)
    return f"Did you mean {before}{near}{after}?" if near else None


def unknown_argument(function: str, name: str, names: Iterable[str]) -> str:
    """The message for a keyword argument that a function does not have."""
    known = list(names)
    near = nearest_name(name, known)
    meant = f"write {near}=" if near else f"it has {', '.join(known)}"
    return f"{function} has no argument {name!r}; {meant}"


def list_text(items: Sequence[str]) -> str:
    """The items, separated by commas; of a long list, the first items and the number of the others."""
    shown = ", ".join(items[:MOST_LISTED])
    more = len(items) - MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def first_items(items: Sequence[str], most: int) -> str:
    """The first items, separated by commas, with an ellipsis for the others."""
    return ", ".join(items[:most]) + (", …" if len(items) > most else "")


def count_text(things: Collection[object], word: str) -> str:
    """A count with its noun: `one value`, `3 values`."""
    return f"one {word}" if len(things) == 1 else f"{len(things)} {word}s"


def refuse_unknown(inputs: Iterable[str], known: Collection[str]) -> None:
    """Refuse inputs that are not known.

    Raises:
        PointError: an input is not in `known`; the message names the first.
    """
    for name in inputs:
        if name not in known:
            hint = did_you_mean(name, known) or (_inputs_text(name, list(known)) if known else None)
            raise PointError(f"There is no input named {quoted(name)}.", hint=hint)


def _inputs_text(name: str, known: list[str]) -> str:
    """What the inputs are where another name was typed, which may be a key of a dict that is the only one."""
    if len(known) == 1 and name.isidentifier():
        return f'The only input is {known[0]}. A dict is typed {known[0]}={{"{name}":…}}.'
    return f"The inputs are {list_text(known)}."


def clean(text: str) -> str:
    """`text` with control characters written as escapes; line breaks are kept."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign == "\n" else written_out(sign) for sign in text)


def written_out(sign: str) -> str:
    """A control character as a Python escape; a tab as a space."""
    return " " if sign == "\t" else sign.encode("unicode_escape").decode("ascii")
