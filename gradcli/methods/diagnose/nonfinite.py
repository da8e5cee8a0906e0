"""The origins of nan and infinity, forward and backward."""

from __future__ import annotations

from gradcli.engine.traces.trace import Trace
from gradcli.methods.diagnose.nonfinite_backward import first_nonfinite_sensitivity
from gradcli.methods.diagnose.nonfinite_forward import first_nonfinite_value
from gradcli.shared.pytree import all_finite
from gradcli.shared.records.result_and_finding import Finding


def first_nonfinite_findings(trace: Trace) -> list[Finding]:
    """A finding for the first value that is not finite, and one for the first such sensitivity, where they exist.

    If the result itself is not finite, sensitivities are left out, as they are not the cause.
    """
    forward = first_nonfinite_value(trace)
    backward = first_nonfinite_sensitivity(trace) if all_finite(trace.value) else None
    return [first for first in (forward, backward) if first]
