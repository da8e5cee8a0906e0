"""Where nan and infinity were born: on the way forward and on the way back, each by itself."""

from __future__ import annotations

from gradcli.diagnose.nonfinite_backward import born_sensitivity
from gradcli.diagnose.nonfinite_forward import born_value
from gradcli.diagnose.step_elements import finite
from gradcli.records import Finding
from gradcli.traces.trace import Trace


def birth(trace: Trace) -> list[Finding]:
    """A finding for the first value that is not finite, and one for the first sensitivity; none where all are finite.

    Where the result itself is not finite the way back is not to blame, and is left out.
    """
    forward = born_value(trace)
    backward = born_sensitivity(trace) if finite(trace.value) else None
    return [found for found in (forward, backward) if found]
