"""The JSON form of records and errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from gradcli.errors import GradcliError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import Result

SCHEMA = "gradcli/1"


def plain(value: Any) -> Any:
    """Convert `value` to strict JSON data; non-finite numbers become the strings NaN, Infinity and -Infinity."""
    if isinstance(value, bool) or value is None or (isinstance(value, (str, int)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, complex):
        return {"re": plain(value.real), "im": plain(value.imag)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Frozen):
        return {name: plain(item) for name, item in value.items()}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def mirror(by_name: Mapping[str, Any], depth: int = 1) -> Any:
    """Mirror the point's structure down to `depth` levels: one input alone, several as an object by name."""
    inner = dict(by_name) if depth == 1 else {name: mirror(item, depth - 1) for name, item in by_name.items()}
    return next(iter(inner.values())) if len(inner) == 1 else inner


def as_json(record: Result) -> dict[str, Any]:
    """The JSON object of a record: schema and command first, findings last."""
    body = plain(record)
    for name, depth in record.mirrored.items():
        body[name] = mirror(body[name], depth)
    findings = body.pop("findings", [])
    return {"schema": SCHEMA, "command": record.command, **body, "findings": findings}


def error_as_json(error: GradcliError) -> dict[str, Any]:
    """The JSON object of an error, as written to stderr under `--json`."""
    return {
        "schema": SCHEMA,
        "error": {
            "exit": int(error.exit),
            "code": error.code,
            "kind": error.kind,
            "message": error.message,
            "hint": error.hint,
            "file": error.file,
            "line": error.line,
        },
    }
