"""The JSON form of records and errors, as the design fixes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from gradcli.errors import GradcliError
from gradcli.frozen import Frozen
from gradcli.records.base import ByName
from gradcli.records.checks import Comparison, SelfTest
from gradcli.records.derivatives import ClosedForm, Gradient, Hessian, Jacobian, Precision
from gradcli.records.environment import Environment
from gradcli.records.plots import Bars, Plot
from gradcli.records.tapes import Explanation, ForwardSweep, Perturbation, TapeListing

SCHEMA = "gradcli/1"

COMMANDS: dict[type, str] = {
    Gradient: "grad",
    Jacobian: "jacobian",
    Hessian: "hessian",
    TapeListing: "tape",
    ClosedForm: "symbolic",
    Precision: "precision",
    Explanation: "explain",
    ForwardSweep: "explain",
    Perturbation: "explain",
    Comparison: "check",
    SelfTest: "check",
    Environment: "env",
    Plot: "plot",
    Bars: "plot",
}


def plain(value: Any) -> Any:
    """`value` as strict JSON data: non-finite numbers become the strings NaN, Infinity and -Infinity."""
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


def mirror(by_name: ByName) -> Any:
    """The structure of the point: alone for one input, an object by name for several."""
    return next(iter(by_name.values())) if len(by_name) == 1 else dict(by_name)


def as_json(record: Any) -> dict[str, Any]:
    """The JSON object of a record, as the design fixes it: schema and command first, findings last."""
    body = plain(record)
    if isinstance(record, Hessian):
        body["hessian"] = {name: mirror(by_name) for name, by_name in body["hessian"].items()}
    for name in ("gradient", "jacobian", "hessian"):
        if isinstance(record, (Gradient, Jacobian, Hessian, Explanation)) and name in body:
            body[name] = mirror(body[name])
    findings = body.pop("findings", [])
    return {"schema": SCHEMA, "command": COMMANDS[type(record)], **body, "findings": findings}


def error_as_json(error: GradcliError) -> dict[str, Any]:
    """The JSON object of an error, as it is written to stderr under `--json`."""
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
