"""Where the first number that is not finite was born: on the way forward, or on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.findings import finding
from gradcli.methods.components import plain
from gradcli.records import Finding
from gradcli.tape.recording import Recording


def birth(tape: Recording) -> list[Finding]:
    """A finding for the first value, or else the first sensitivity, that is not finite; none where all are finite."""
    nodes = tape.nodes
    for node in nodes:
        if not finite(node.value):
            operands = ", ".join(str(plain(x)) for x in node.operands)
            text = f"{node.name or node.operation} is the first value that is not finite: {node.operation}({operands})"
            return [finding("G101", text, file=node.file, line=node.line, node=node.index)]
    for node, sensitivity in reversed(list(zip(nodes, tape.sensitivities(), strict=True))):
        if not finite(sensitivity):
            what = f"{node.name or node.operation} = {plain(node.value)}"
            text = f"the sensitivity on {what} is the first that is not finite"
            return [finding("G102", text, file=node.file, line=node.line, node=node.index)]
    return []


def finite(value: Any) -> bool:
    """Whether every number of a value is finite."""
    numbers = np.asarray(value)
    return bool(np.isfinite(numbers if numbers.dtype.kind == "c" else numbers.astype(float)).all())
