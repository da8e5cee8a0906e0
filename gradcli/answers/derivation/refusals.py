"""The error for a construct that cannot be derived, with its name and line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.shared.message_wording import list_text
from gradcli.shared.pytree import leaves

UNKNOWN = "derive does not know "
STRAIGHT = "`gradcli derive --straight` writes out the recorded run at the point, whatever the source is."
HANDED_ON = re.compile(r"__closure__\((\w+)(?:, \w+)*\)")  # a nested function, which is shown by its name
OF_NUMBERS = "Write a function of numbers, lists and arrays that calls it, or leave the input out with --wrt."


TEXTS_AS_KEYS = 'Write texts as keys, d["a"], or a list in place of the dict.'
LIST = "Collect the values in a list, values.append(v), and return the list."


class LineOf:
    """A stand-in for a node of which only the line is known."""

    def __init__(self, line: int) -> None:
        self.lineno = line


def refusal_at(file: str | None, node: Any, what: str, hint: str = "", *, runs: bool = True) -> UnsupportedError:
    """The error for a construct at a node of the user's source.

    Args:
        file, node: the place.
        what: the construct.
        hint: another way to write it.
        runs: whether the recorded run could be written out instead, which the hint then says.
    """
    line = getattr(node, "lineno", None)
    hint = " ".join(filter(None, (hint, STRAIGHT if runs and STRAIGHT not in hint else "")))
    what = HANDED_ON.sub(r"\1", what.replace(UNKNOWN, ""))
    return UnsupportedError(UNKNOWN + what, hint=hint, file=file, line=line)


def input_refusal(file: str | None, node: Any, function: str, name: str, point: Mapping[str, Any]) -> UnsupportedError:
    """The error for an input that is no real number, list or array.

    Args:
        file, node: the place of the function.
        function: its name.
        name: the name of the input.
        point: the inputs.
    """
    value = point.get(name)
    if not isinstance(value, Mapping):
        is_whole = all(np.asarray(x).dtype.kind in "iub" for x in leaves(value))
        what = "whose numbers are whole: it takes floats" if is_whole else "which is no real number, list or array"
        return refusal_at(file, node, f"the input {name}, {what}", "" if is_whole else OF_NUMBERS, runs=False)
    taken = [parameter for parameter in point if parameter != name]
    parts: list[str] = []
    written = _of_parts(value, parts)
    what = f"the input {name}, a dict with the keys {list_text([*map(str, value)])}"
    if written is None or len({*parts, *taken}) < len(parts) + len(taken):
        return refusal_at(file, node, what, OF_NUMBERS, runs=False)
    given = ", ".join(written if parameter == name else parameter for parameter in point)
    text = f"def {function}_of_parts({', '.join((*parts, *taken))}): return {function}({given})"
    return refusal_at(file, node, what, f"Type {text} and derive that with --straight.", runs=False)


def _of_parts(value: Mapping[Any, Any], parts: list[str]) -> str | None:
    """A dict as source text with a name for each part, which is added to the list; None if a key is no name."""
    items = []
    for key, item in value.items():
        if not isinstance(key, str) or not key.isidentifier() or iskeyword(key):
            return None
        if isinstance(item, Mapping):
            text = _of_parts(item, parts)
        else:
            parts.append(text := key)
        items.append(None if text is None else f'"{key}": {text}')
    return None if None in items else "{" + ", ".join(filter(None, items)) + "}"
