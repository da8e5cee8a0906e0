"""Points read from files, `@point.json` and `@point.npy`, or from a module, `@cases.py:make`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gradcli.answers.targets import lookup, modules, python_files
from gradcli.answers.targets.point_lexer import DEEPEST, Atom, Given, add, refuse_twice, scan
from gradcli.answers.targets.point_values import is_number, plain_number, structure
from gradcli.answers.targets.python_files import user_code
from gradcli.errors import GradcliError, NotFiniteError, PointError, UsageError
from gradcli.shared.message_wording import count_text, quoted, shortened
from gradcli.shared.regular_files import read_file, regular_file

_COLUMN = r"[^\W\d]\w*(?:\[\d+\])?"
_IN_MODULE = r"(.+\.py|[^\W\d]\w*(?:\.\w+)*):([^\W\d][\w.]*)"

ROWS = "A row is a point: [1, 2] in a .jsonl file, 1,2 in a .csv file, an entry of the array in a .npy file."

HOLDS = {
    ".json": 'A .json file holds the numbers by name, {"x": 1, "y": [2, 3]}, or one value, [1, 2].',
    ".npy": "A .npy file holds one array, as numpy.save writes it.",
}


def read_point(typed: str) -> Given:
    """Read a point from a JSON or NumPy file, or from a module.

    A dictionary gives values by name, a tuple of a module gives them in order; anything else is a single value.

    Raises:
        UserCodeError: a function of the module raises.
        PointError: the file does not exist, cannot be read, or is neither JSON nor an array.
    """
    value = read_value(typed)
    given = Given(is_typed=re.fullmatch(_IN_MODULE, typed.strip()) is None)
    if isinstance(value, dict):
        for name, part in value.items():
            add(given.named, str(name), part)
    else:
        given.positional += value if isinstance(value, tuple) else [value]
    return given


def read_value(typed: str) -> Any:
    """Read a value from a JSON or NumPy file, or from a module: an object, or the result of a function.

    Raises:
        UserCodeError: the function raises.
        PointError: the file does not exist, cannot be read, or is neither JSON nor an array.
    """
    if match := re.fullmatch(_IN_MODULE, typed.strip()):
        return _of_module(match[1], match[2])
    path = Path(os.path.expanduser(typed.strip()))  # an unknown user stays as typed
    readers, suffix = {".json": _json, ".npy": _npy}, path.suffix.lower()
    if not typed.strip():
        raise PointError("After @ comes the name of a file.", hint="Type --at @point.json.")
    if os.path.isdir(path):
        raise PointError(f"{quoted(typed)} is a folder.", hint=f"Name a file in it: @{path / 'point.json'}")
    if suffix not in readers:
        if suffix in (".csv", ".jsonl"):
            raise PointError(
                f"The file {quoted(typed)} holds many points, and one is needed.",
                hint="grad, jacobian, hessian and check take such files: a row is a point.",
            )
        raise PointError(f"The file {quoted(typed)} is neither .json nor .npy.", hint="Type --at @point.json.")
    try:
        return readers[suffix](path)
    except GradcliError:
        raise
    except FileNotFoundError:
        raise PointError(f"There is no file {quoted(typed)}.", hint=HOLDS[suffix]) from None
    except PermissionError as error:
        raise PointError(f"{quoted(typed)} cannot be read: {error.strerror}.", hint=f"chmod u+r {path}") from None
    except (OSError, RuntimeError, ValueError, MemoryError) as error:
        what = f"The file {quoted(typed)} cannot be read as {suffix[1:]}"
        raise PointError(f"{what}: {_reason(path, error)}.", hint=HOLDS[suffix]) from None


def _of_module(module: str, name: str) -> Any:
    """An object of a module, or what it returns if it is a function without parameters."""
    loaded = python_files.load(module) if module.lower().endswith(".py") else modules.load(module)
    value = lookup.attribute(loaded, name, module)
    if callable(value) and not hasattr(type(value), "__dataclass_fields__"):
        make = lookup.find(loaded, name, module)[1]
        with user_code(f"in {name}"):
            value = make()
    return _with_arrays(value)


def _with_arrays(value: Any, *within: Any) -> Any:
    """An object with arrays for its lists of numbers, and of such lists of equal length; other lists stay lists.

    Args:
        value: the object.
        within: the objects that hold it, outermost first.

    Raises:
        PointError: the object holds itself, or is nested too deeply.
    """
    if not isinstance(value, dict) and type(value) not in (list, tuple):
        return value
    if any(value is outer for outer in within):
        raise PointError(f"The point holds a {type(value).__name__} that holds itself.")
    if len(within) > DEEPEST:
        raise PointError(f"The point is nested deeper than {DEEPEST}.")
    inner = (*within, value)
    if isinstance(value, dict):
        return {key: _with_arrays(item, *inner) for key, item in value.items()}
    if type(value) is tuple:
        return tuple(_with_arrays(item, *inner) for item in value)
    items = [_with_arrays(item, *inner) for item in value]
    if not all(isinstance(item, list) or is_number(item) for item in value):
        return items
    import numpy as np

    is_regular = len({np.shape(item) for item in items}) == 1 and not any(isinstance(item, list) for item in items)
    return np.array(items) if is_regular else items


def read_rows(typed: str) -> dict[int, Any]:
    """All rows of a file by number, as `each_row` yields them.

    Raises:
        PointError: as for `each_row`, or a cell is not a number.
    """
    rows = {}
    for number, row in each_row(typed):
        with in_row(typed, number):
            if isinstance(row, GradcliError):
                raise row
        rows[number] = row
    return rows


def each_row(typed: str) -> Iterator[tuple[int, Any]]:
    """Yield each row of a file with one point per row, with its number: `.jsonl` with points as typed, `.csv`, `.npy`.

    The first row of a `.csv` file may name the inputs; a row with a cell that is not a number is given as its error.
    The rows of a `.npy` file are the entries of its array.

    Raises:
        PointError: the file does not exist, cannot be read, or contains no point.
    """
    path = Path(os.path.expanduser(typed))
    readers, suffix = {".jsonl": _lines, ".csv": _csv, ".npy": _entries}, path.suffix.lower()
    if suffix not in readers:
        raise PointError(f"The file {quoted(typed)} is neither .jsonl, .csv nor .npy.", hint=ROWS)
    is_empty = True
    with readable_rows(typed):
        for row in readers[suffix](path):
            is_empty = False
            yield row
    if is_empty:
        raise PointError(f"The file {quoted(typed)} holds no point.", hint=ROWS)


@contextmanager
def readable_rows(typed: str, hint: str = ROWS) -> Iterator[None]:
    """Convert an error of a file to one that says why its rows cannot be read.

    Raises:
        PointError: a system error, or an error of its format, was raised inside.
    """
    try:
        yield
    except GradcliError:
        raise
    except (OSError, ValueError, MemoryError) as error:
        reason = _reason(Path(os.path.expanduser(typed)), error)
        raise PointError(f"The file {quoted(typed)} cannot be read: {reason}.", hint=hint) from None


@contextmanager
def in_row(file: str, number: int) -> Iterator[None]:
    """A context in which errors about a point name its row in a file."""
    try:
        yield
    except (UsageError, NotFiniteError) as error:
        error.message = f"{shortened(file)}, row {number}: {error.message}"
        raise


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with open(path, encoding="utf-8-sig", opener=regular_file) as file:
        yield from ((number, line.strip()) for number, line in enumerate(file, 1) if line.strip())


def _csv(path: Path) -> Iterator[tuple[int, str | GradcliError]]:
    import csv

    names: list[str] | None = None
    with open(path, encoding="utf-8-sig", newline="", opener=regular_file) as file:
        for row in (reader := csv.reader(file)):
            cells = [cell.strip() for cell in row]
            if names is None and any(cells) and all(re.fullmatch(_COLUMN, cell) for cell in cells):
                names = cells
            elif any(cells):
                names = names or []
                try:
                    _refuse_bad_cells(cells, names)
                except GradcliError as error:
                    yield reader.line_num, error.with_traceback(None)
                    continue
                yield reader.line_num, ",".join(map("{}={}".format, names, cells) if names else cells)


def _refuse_bad_cells(row: list[str], names: list[str]) -> None:
    """Refuse a row with more or fewer cells than names, or with a cell that is no value of a point."""
    if len(row) == 1 and (mark := re.search(r"[\t;]", row[0])):
        separator = "tab" if mark[0] == "\t" else "semicolon"
        raise PointError(f"A {separator} stands between its values, where a comma is needed.", hint=ROWS)
    if names and len(row) != len(names):
        came, needed = count_text(row, "cell"), count_text(names, "name")
        raise PointError(f"{came} came, for {needed} in the first row.", hint=ROWS)
    for place, cell in enumerate(row):
        column = f"column {place + 1}{f' ({names[place]})' if names else ''}"
        value = scan(cell, "value").positional[0] if cell.startswith("[") else Atom(cell)
        try:
            structure(value, (column,))
        except UsageError as error:
            error.hint = ROWS
            raise


def _entries(path: Path) -> Iterator[tuple[int, Any]]:
    rows = _npy(path)
    if rows.ndim > 2:
        return enumerate(rows)
    return enumerate(",".join(map(repr, row.tolist() if rows.ndim == 2 else [row.item()])) for row in rows)


def _json(path: Path) -> Any:
    return json.loads(read_file(path), parse_int=plain_number, parse_float=plain_number, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, value in pairs:
        refuse_twice(named, name)
        named[name] = value
    return named


def _npy(path: Path) -> Any:
    import numpy as np

    with open(path, "rb", opener=regular_file) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _reason(path: Path, error: Exception) -> str:
    """The reason why an existing file cannot be read."""
    with suppress(OSError, ValueError):
        if not isinstance(error, OSError) and not path.stat().st_size:
            return "it is empty"
    if isinstance(error, MemoryError):
        return "its numbers need more memory than there is"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 text, with byte 0x{error.object[error.start]:02x} at {error.start}"
    return getattr(error, "strerror", None) or str(error).split("\n")[0].removesuffix(".")
