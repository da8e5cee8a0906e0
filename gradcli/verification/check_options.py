"""The options of a check in configurations, comments and marks: the long option names of `gradcli check`."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any, get_args

from gradcli.errors import UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import did_you_mean
from gradcli.shared.records.checks import Outcome
from gradcli.shared.records.result_and_finding import KINDS
from gradcli.shared.records.verification import POINTS

SECONDS = 60.0  # default time limit of a case


class InputPlace(Frozen):
    """The place of a value, for messages about it.

    Args:
        shown: the place as text, such as `pyproject.toml, [tool.gradcli]` or `shapes.py:12`.
        file, line: the file and the first line of the place; None if unknown.
    """

    shown: str
    file: str | None = None
    line: int | None = None

    def error(self, message: str, hint: str | None = None) -> UsageError:
        """The error for an invalid value at this place."""
        return UsageError(f"{self.shown}: {message}", hint=hint, file=self.file, line=self.line)


def _text(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise ValueError('a text that is not empty, such as "file.py:f"')


def _point(value: Any) -> str:
    """A point as typed on the command line; numbers, arrays and tables are converted to that form."""
    if isinstance(value, str) and value.strip():
        return value
    if not isinstance(value, (bool, str)) and isinstance(value, (int, float, list, dict)):
        with suppress(TypeError):  # a date inside is not JSON
            return json.dumps(value)
    raise ValueError('a point, such as "1,2" or "x=1,y=[2,3]"')


def _names(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return ",".join(value)
    if isinstance(value, str) and value.strip():
        return value
    raise ValueError('names of inputs, such as "x,y"')


def _box(value: Any) -> tuple[str, ...]:
    """Intervals as typed on the command line; a table of pairs is converted to that form."""
    if isinstance(value, Mapping) and all(map(_is_interval, value.values())):
        return tuple(f"{name}={low!r}:{high!r}" for name, (low, high) in value.items())
    items = [value] if isinstance(value, str) else value
    if isinstance(items, (list, tuple)) and items and all(isinstance(item, str) for item in items):
        return tuple(items)
    raise ValueError('intervals, such as "x=0:1" or ["x=0:1", "y=-1:1"]')


def _kind(value: Any) -> str:
    if value in KINDS:
        return str(value)
    raise ValueError(f"one of {', '.join(KINDS)}")


def _count(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError("a whole number from 0 on")


def _tolerance(value: Any) -> float:
    """A finite tolerance, because an infinite one would pass every derivative."""
    if _is_amount(value) and math.isfinite(value):
        return float(value)
    raise ValueError("a finite number from 0 on")


def _seconds(value: Any) -> float:
    """A time limit; infinity means no limit."""
    if _is_amount(value):
        return float(value)
    raise ValueError("a number from 0 on, or inf for no limit")


def _is_amount(value: Any) -> bool:
    return _is_number(value) and (0 <= value <= sys.float_info.max or value == math.inf)


def _is_interval(value: Any) -> bool:
    """Whether a value is a pair of ascending numbers whose distance is a float."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_number, value)):
        with suppress(OverflowError):  # of an integer beyond all floats
            return 0 < float(value[1]) - float(value[0]) < math.inf
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _outcomes(value: Any) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if isinstance(items, (list, tuple)) and all(item in get_args(Outcome) for item in items):
        return tuple(items)
    raise ValueError(f"some of {', '.join(get_args(Outcome))}")


COMMENT = "A comment reads # gradcli: --at 1,2 --box x=0:1"

Reader = Callable[[Any], Any]

# Options of the check itself; allowed as defaults for all cases, for the cases of a file, and for one entry.
COMMON: dict[str, Reader] = {
    "points": _count,
    "seed": _count,
    "rtol": _tolerance,
    "atol": _tolerance,
    "strict": _flag,
    "device": _text,
    "max-seconds": _seconds,
    "allow": _outcomes,
}
# Options of the point and the inputs; allowed for the cases of a file and for one entry.
LOCAL: dict[str, Reader] = {**COMMON, "at": _point, "box": _box, "points-file": _text, "wrt": _names, "skip": _text}
# Options of one entry.
ENTRY: dict[str, Reader] = {"name": _text, "target": _text, "against": _text, "of": _kind, **LOCAL}


def read_options(values: Mapping[str, Any], readers: Mapping[str, Reader], place: InputPlace) -> dict[str, Any]:
    """The options under their Python names.

    Raises:
        UsageError: an option is unknown, with the nearest known one as a hint, or its value is invalid.
    """
    read = {}
    for key, value in values.items():
        if key not in readers:
            raise unknown(key, readers, place)
        try:
            read[key.replace("-", "_")] = readers[key](value)
        except (TypeError, ValueError) as error:
            raise place.error(f"{key} is {toml_text(value)}; it has to be {error}.") from None
    return read


def unknown(key: str, known: Collection[str], place: InputPlace) -> UsageError:
    """The error for an unknown key."""
    hint = did_you_mean(key.replace("_", "-"), known) or f"The keys are {', '.join(known)}."
    return place.error(f"there is no key {key!r}.", hint=hint)


def toml_text(value: Any) -> str:
    """A value in TOML syntax, shortened."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:59]}…"


def of_comment(text: str, place: InputPlace) -> dict[str, Any]:
    """The options in a comment such as `# gradcli: --at 1,2 --box x=0:1`.

    Raises:
        UsageError: the text is not a list of options.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise place.error(f"the comment cannot be read: {error}.") from None
    values: dict[str, Any] = {}
    while words:
        word, equals, value = words.pop(0).partition("=")
        key = word.removeprefix("--")
        if not word.startswith("--"):
            raise place.error(f"{word!r} is no option.", hint=COMMENT)
        if key not in ENTRY:
            raise unknown(key, ENTRY, place)
        if ENTRY[key] is _flag:
            values[key] = True
        elif not equals and not words:
            raise place.error(f"--{key} needs a value, and none came.")
        else:
            value = value if equals else words.pop(0)
            values[key] = (
                [*values.get(key, []), value] if ENTRY[key] in (_box, _outcomes) else _number_or_text(key, value)
            )
    return read_options(values, ENTRY, place)


def _number_or_text(key: str, text: str) -> Any:
    """A word of a comment as the value that a configuration would hold."""
    if ENTRY[key] not in (_count, _tolerance, _seconds):
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def has_point(options: Mapping[str, Any]) -> bool:
    """Whether the options give a point."""
    return any(options.get(name) is not None for name in POINTS)


def command_line(target: str, against: str | None, options: Mapping[str, Any]) -> str:
    """The equivalent `gradcli check` command."""
    words = ["gradcli", "check", target, *(["--against", against] if against else [])]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif name == "box":
            words += [word for entry in value for word in (option, entry)]
        elif value is not False:
            words += [option, f"{value:g}" if isinstance(value, float) else str(value)]
    return shlex.join(words)
