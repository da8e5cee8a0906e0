"""The values of formulas that have no gradient: arrays and truth values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradcli.errors import ResultError

if TYPE_CHECKING:
    from gradcli.queries.session_workspace import Workspace


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
