"""Comparison of a gradient computed on a device with the host's, and with a second run on the device."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gradcli import devices
from gradcli.checks import references
from gradcli.checks.problem.compared_case import Case
from gradcli.findings import finding
from gradcli.records import Finding


def device_findings(
    case: Case, device: devices.device, own: Sequence[float], host: Sequence[float], rounding: Sequence[float]
) -> Iterator[Finding]:
    """Report differences between device and host, and between two runs on the device.

    Args:
        case: the case that is checked.
        device: the device on which the gradient was computed.
        own: the components computed there.
        host: the components computed by a sweep on the host.
        rounding: bounds on the rounding error of the sweep, valid for additions in any order.

    Costs one more run on the device.
    """
    names = [part.name for part in case.parts]
    if (worst := _farthest(own, host)) is not None:
        off = abs(own[worst] - host[worst])
        within = off <= 2 * rounding[worst]
        order = "a different order of additions explains"
        why = f"{order} that" if within else f"more than {order}"
        text = f"{names[worst]}: {device.name} differs from the host by {off:.2g}{_relative(off, host[worst])}; {why}"
        yield finding("G701", text, numbers={"device": own[worst], "host": host[worst]})
    again = references.reverse_on(device, case)
    if (worst := _farthest(own, again)) is not None:
        off = abs(own[worst] - again[worst])
        text = f"{names[worst]}: two runs on {device.name} differ by {off:.2g}{_relative(off, own[worst])}"
        yield finding("G702", text, numbers={"first": own[worst], "second": again[worst]})


def _farthest(one: Sequence[float], other: Sequence[float]) -> int | None:
    """The index at which two sequences of numbers differ most, relative to their size; None if they are equal."""
    distances = [abs(a - b) / (abs(b) or 1.0) for a, b in zip(one, other, strict=True)]
    differing = [n for n, distance in enumerate(distances) if distance > 0 and math.isfinite(distance)]
    return max(differing, key=distances.__getitem__, default=None)


def _relative(off: float, size: float) -> str:
    return f", {off / abs(size):.1g} of it" if size else ""
