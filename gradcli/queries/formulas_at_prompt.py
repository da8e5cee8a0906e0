"""Formulas at the prompt: previews of what is typed, values without a gradient, and imports ahead of time."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradcli.answers.targets import Target
from gradcli.answers.targets.array_functions import is_sized
from gradcli.errors import GradcliError, ResultError
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


def without_gradient(workspace: Workspace, text: str, refused: ResultError) -> tuple[Any, str]:
    """The value of a formula with inputs that is an array or a truth value, with a note.

    Raises:
        ResultError: the value is neither; this is `refused`, the error that asking for the gradient raised.
    """
    import numpy as np

    from gradcli.engine.running.muted_reruns import quiet
    from gradcli.shared.pytree import record_value

    target = workspace.target(text)
    point = workspace.point(target)
    with quiet():  # the run for the gradient has printed already
        value = target.with_inputs(point).function(*point.values())
    if isinstance(value, (bool, np.bool_)) or getattr(value, "dtype", None) == np.bool_:
        return value if isinstance(value, bool) else record_value(
            value
        ), "a comparison is true or false and has no derivative"
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        raise refused
    typed = " ".join(text.split())
    return record_value(value), f"`jacobian {typed}` has its derivatives"


def warm() -> None:
    """Import the modules for a gradient, and compile the rules of the commonest operations."""
    from gradcli.queries.session_workspace import Workspace

    import_module("gradcli.queries.derivatives")
    workspace = Workspace()
    workspace.define("x = 1")
    preview(workspace, "(x + 1 - x) * x / 2 ^ sin(x)")


def warm_symbolic(idle: AbstractContextManager[object] | None = None) -> None:
    """Import SymPy, and inside `idle`, when nothing else imports, the queries that use it."""
    import_module("sympy")
    for module in ("tape_listing", "closed_form", "gradient_check"):
        with idle or nullcontext():
            import_module(f"gradcli.queries.{module}")
