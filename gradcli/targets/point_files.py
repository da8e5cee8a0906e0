"""Points kept in files: `@point.json` and `@point.npy`."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from gradcli.errors import GradcliError, PointError
from gradcli.targets.scanning import Given, add
from gradcli.targets.values import plain_number
from gradcli.targets.wording import near_file, quoted

HOLDS = {
    ".json": 'A .json file holds the numbers by name, {"x": 1, "y": [2, 3]}, or one value, [1, 2].',
    ".npy": "A .npy file holds one array, as numpy.save writes it.",
}


def read(typed: str) -> Given:
    """What the file gives: an object by name, anything else as one value.

    Raises:
        PointError: there is no such file, it cannot be read, or it is neither JSON nor an array.
    """
    path = Path(typed.strip())
    readers, suffix = {".json": _json, ".npy": _npy}, path.suffix.lower()
    if not typed.strip():
        raise PointError("After @ comes the name of a file.", hint="Type --at @point.json.")
    if suffix not in readers:
        near = _near(typed, path)
        raise PointError(f"The file {quoted(typed)} is neither .json nor .npy.", hint=near or "Type --at @point.json.")
    try:
        value = readers[suffix](path.expanduser())
    except GradcliError:
        raise
    except FileNotFoundError:
        raise PointError(f"There is no file {quoted(typed)}.", hint=_near(typed, path) or HOLDS[suffix]) from None
    except IsADirectoryError:
        raise PointError(f"{quoted(typed)} is a folder.", hint=f"Name a file in it: @{path / 'point.json'}") from None
    except PermissionError as error:
        raise PointError(f"{quoted(typed)} cannot be read: {error.strerror}.", hint=f"chmod u+r {path}") from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = _reason(path.expanduser(), error)
        told = f"The file {quoted(typed)} cannot be read as {suffix[1:]}: {reason}."
        raise PointError(told, hint=HOLDS[suffix]) from None
    return Given(named=value) if isinstance(value, dict) else Given(positional=[value])


def _json(path: Path) -> Any:
    return json.loads(path.read_bytes(), parse_int=plain_number, parse_float=plain_number, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, value in pairs:
        add(named, name, value)
    return named


def _npy(path: Path) -> Any:
    import numpy as np

    with path.open("rb") as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _reason(path: Path, error: Exception) -> str:
    """What is wrong with a file that is there."""
    with suppress(OSError, ValueError):
        if not path.stat().st_size:
            return "it is empty"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 text, with byte 0x{error.object[error.start]:02x} at {error.start}"
    return getattr(error, "strerror", None) or str(error).split("\n")[0].removesuffix(".")


def _near(typed: str, path: Path) -> str | None:
    """The file of points that was most likely meant."""
    try:
        names = [entry.name for entry in path.expanduser().parent.iterdir() if entry.suffix in HOLDS]
    except OSError:
        return None
    near = near_file(path.name, names)
    return f"Did you mean @{typed.strip().removesuffix(path.name)}{near}?" if near else None
