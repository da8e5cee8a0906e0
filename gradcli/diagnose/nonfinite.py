"""The origins of nan and infinity, forward and backward."""

from __future__ import annotations

from gradcli.diagnose.nonfinite_backward import first_nonfinite_sensitivity
from gradcli.diagnose.nonfinite_forward import first_nonfinite_value
from gradcli.pytree import all_finite
from gradcli.records import Finding
from gradcli.traces.trace import Trace


def first_nonfinite_findings(trace: Trace) -> list[Finding]:
    """A finding for the first value that is not finite, and one for the first such sensitivity, where they exist.

    If the result itself is not finite, sensitivities are left out, as they are not the cause.
    """
    forward = first_nonfinite_value(trace)
    backward = first_nonfinite_sensitivity(trace) if all_finite(trace.value) else None
    return [first for first in (forward, backward) if first]
