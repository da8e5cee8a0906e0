"""Previews of a formula that is still being typed: its value and gradient at the current values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradcli.answers.targets import Target
from gradcli.answers.targets.array_functions import is_sized
from gradcli.answers.targets.missing_values import value_assignments, without_value
from gradcli.errors import GradcliError
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.derivatives import Gradient

if TYPE_CHECKING:
    from gradcli.queries.session_workspace import Workspace

MOST_CHARACTERS = 500
MOST_NUMBERS = 100
MOST_INPUTS = 20


class OfFile(Frozen):
    """There is no preview, because a function of a file would have to run."""

    name: str


class WithoutValues(Frozen):
    """There is no preview, because these names, in order of appearance, have no value."""

    names: tuple[str, ...]

    def advice(self, besides: str = "") -> str:
        """A message such as `x has no value; try x = 1` without the name `besides`, or an empty string."""
        names = [name for name in self.names if name != besides]
        return f"{without_value(names)}; try {value_assignments(names)}" if names else ""


def preview(workspace: Workspace, text: str) -> Gradient | OfFile | WithoutValues | Any | None:
    """The gradient of a formula, or its value if it has no inputs; None if it does not parse or could take long.

    If names have no value, the result is a record of these names. Code of files is never run; the result is then the
    name of the function. A preview takes at most some 0.1 ms per operation of the formula.
    """
    if not text.strip() or len(text) > MOST_CHARACTERS:
        return None
    try:
        if name := workspace.names.of_file(text):
            return OfFile(name)
        if any(map(is_sized, workspace.names.called(text))):
            return None
        inputs = workspace.inputs(text)
        if missing := workspace.unknown(text):
            return WithoutValues(missing)
        if len(inputs) > MOST_INPUTS or workspace.size(inputs) > MOST_NUMBERS:
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
