"""Previews of a formula that is still being typed: its value and gradient at the current values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradcli.answers.targets import Target
from gradcli.answers.targets.array_functions import is_sized
from gradcli.errors import GradcliError
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.records.derivatives import Gradient

if TYPE_CHECKING:
    from gradcli.queries.session_workspace import Workspace

MOST_CHARACTERS = 500
MOST_NUMBERS = 100
MOST_INPUTS = 20


def preview(workspace: Workspace, text: str) -> Gradient | Any | None:
    """The gradient of a formula, or its value if it has no inputs; None without one, or if it could take long.

    Code of files is never run. A preview takes at most some 0.1 ms per operation of the formula.
    """
    if not text.strip() or len(text) > MOST_CHARACTERS:
        return None
    try:
        if workspace.names.of_file(text) or any(map(is_sized, workspace.names.called(text))):
            return None
        inputs = workspace.inputs(text)
        if workspace.unknown(text) or len(inputs) > MOST_INPUTS or workspace.size(inputs) > MOST_NUMBERS:
            return None
        if not inputs:
            return workspace.value(text)
        return gradient(target := workspace.target(text), workspace.point(target))
    except (GradcliError, ArithmeticError, ValueError, TypeError):
        return None


def gradient(target: Target, point: dict[str, Any]) -> Gradient:
    """The value and the gradient, without further findings than kinks, and without warnings."""
    import numpy as np

    from gradcli.engine.traces.trace import record_trace
    from gradcli.methods.diagnose.finite_run_findings import KINKS, notes
    from gradcli.methods.transforms.scalar_results import number_of
    from gradcli.shared.pytree import map_leaves, record_value

    function = target.with_inputs(point).function
    whole = "iub"  # integer kinds of arrays; converting them silently avoids the warning
    arguments = (x.astype(float) if isinstance(x, np.ndarray) and x.dtype.kind in whole else x for x in point.values())
    with ignored_float_errors():  # affects only this thread, unlike warning filters
        run = record_trace(function, tuple(arguments), names=False)
        value = number_of(function, run.value)
        sensitivities = run.sensitivities()
        kinks = tuple(note for note in notes(run) if note.code in KINKS)
    partials = {
        name: record_value(map_leaves(lambda index: sensitivities[index], structure))
        for name, structure in zip(point, run.inputs, strict=True)
    }
    return Gradient(target.text, record_value(point), record_value(value), partials, findings=kinks)
