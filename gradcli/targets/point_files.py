"""Points kept in files: `@point.json` and `@point.npy`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gradcli.errors import GradcliError, PointError
from gradcli.targets.scanning import Given, add
from gradcli.targets.values import plain_number
from gradcli.targets.wording import did_you_mean, quoted


def read(typed: str) -> Given:
    """What the file gives: an object by name, anything else as one value.

    Raises:
        PointError: there is no such file, it cannot be read, or it is neither JSON nor an array.
    """
    path = Path(typed.strip())
    readers = {".json": _json, ".npy": _npy}
    if path.suffix.lower() not in readers:
        raise PointError(f"The file {quoted(typed)} is neither .json nor .npy.", hint="Type --at @point.json.")
    try:
        value = readers[path.suffix.lower()](path.expanduser())
    except GradcliError:
        raise
    except FileNotFoundError:
        raise _no_file(typed, path) from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error).split("\n")[0]
        raise PointError(f"The file {quoted(typed)} cannot be read as {path.suffix[1:]}: {reason}.") from None
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


def _no_file(typed: str, path: Path) -> PointError:
    folder = path.expanduser().parent
    try:
        names = [entry.name for entry in folder.iterdir() if entry.suffix in (".json", ".npy")]
    except OSError:
        names = []
    hint = did_you_mean(path.name, names, f"@{typed.strip().removesuffix(path.name)}")
    return PointError(f"There is no file {quoted(typed)}.", hint=hint)
