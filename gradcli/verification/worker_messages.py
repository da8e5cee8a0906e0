"""Cases and results as lines of JSON between a run and its workers, including non-finite numbers."""

from __future__ import annotations

import json
import os
import select
import threading
from collections.abc import Mapping
from enum import Enum
from typing import Any

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.checks import Comparison, Component, Verdict
from gradcli.shared.records.result_and_finding import Finding
from gradcli.shared.records.verification import CaseResult, CodeLocation, GradientCase


def line(value: Any) -> bytes:
    """A record or plain data as one line of JSON."""
    return json.dumps(value, default=_plain).encode() + b"\n"


def read_line(number: int, seconds: float | None = None, watched: int | None = None) -> bytes:
    """The next line from a descriptor, whose writer waits for the answer before it writes another.

    Args:
        number: the descriptor.
        seconds: how long to wait for a part of it; None for no limit.
        watched: a descriptor that ends the waiting when it becomes readable.

    Empty at the end, or if no line comes in time.
    """
    parts = [b""]
    while not parts[-1].endswith(b"\n"):
        if seconds is not None:
            watching = [number] if watched is None else [number, watched]
            if number not in select.select(watching, [], [], min(seconds, threading.TIMEOUT_MAX))[0]:
                return b""
        if not (chunk := os.read(number, 2**16)):
            return b""
        parts.append(chunk)
    return b"".join(parts)


def output_mark(token: str) -> bytes:
    """What ends the output of a case."""
    return f"\0{token}\0".encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Frozen):
        return dict(value.items())
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    return repr(value)  # an object in a mark's point, which the worker reads from the module itself


def case_of(data: Mapping[str, Any]) -> GradientCase:
    """The case in a message."""
    options = {name: tuple(value) if name == "box" else value for name, value in data["options"].items()}
    return GradientCase(**{**data, "options": options, "allow": tuple(data["allow"])})


def result_of(data: Mapping[str, Any], case: GradientCase) -> CaseResult:
    """The result in a message, for a known case."""
    places = {name: data[name] and CodeLocation(**data[name]) for name in ("derivative", "function")}
    comparison = data["comparison"] and _comparison(data["comparison"])
    return CaseResult(
        **{**data, **places, "case": case, "comparison": comparison, "details": tuple(data["details"])},
    )


def _comparison(data: Mapping[str, Any]) -> Comparison:
    rows = tuple(Component(**{**row, "verdict": Verdict[row["verdict"]]}) for row in data["components"])
    findings = tuple(Finding(**fields) for fields in data["findings"])
    return Comparison(**{**data, "components": rows, "findings": findings, "notes": tuple(data["notes"])})
