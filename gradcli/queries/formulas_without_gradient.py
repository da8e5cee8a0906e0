"""The value of a formula that has no gradient: where it ceased to be finite, and what it is where it is no number."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError, ResultError
from gradcli.records import Finding

if TYPE_CHECKING:
    from gradcli.queries.session_names import Workspace


def born(workspace: Workspace, text: str, before: Mapping[str, Any] | None = None) -> tuple[Finding, ...]:
    """The first number that is not finite in a formula without inputs; none where a file's code would run again.

    The numbers that are typed are recorded as inputs, and so are the values of names, so that the steps between them
    are told of like any others.  `before` holds values of names that have others by now.
    """
    import numpy as np

    from gradcli.diagnose.nonfinite import birth
    from gradcli.language import Number, evaluate, input_names
    from gradcli.language.syntax import walk
    from gradcli.traces.trace import recorded

    if workspace.of_file(text):
        return ()
    names = workspace.names
    tree = names.parse(text)
    values = {**names.values, **(before or {})}
    used = [name for name in input_names(tree) if name in values]

    def program(*inputs: Any) -> Any:
        typed = iter(inputs[len(used) :])
        known = ChainMap(dict(zip(used, inputs, strict=False)), names.constants)  # type: ignore[arg-type]
        return evaluate(tree, known, names.functions, number=lambda _: next(typed))

    try:
        numbers = [float(node.value) for node in walk(tree) if isinstance(node, Number)]
        with np.errstate(all="ignore"):
            return tuple(birth(recorded(program, (*(values[name] for name in used), *numbers), names=False))[:1])
    except (GradcliError, ArithmeticError, ValueError, TypeError):
        return ()


def without_gradient(workspace: Workspace, text: str, refused: ResultError) -> tuple[Any, str]:
    """The value of a formula with inputs that is an array or a truth value, and what there is to say of it.

    Raises:
        ResultError: it is neither; `refused`, which said so of the gradient.
    """
    import numpy as np

    from gradcli.numerics.coordinates import plain
    from gradcli.running.muted_reruns import quiet

    target = workspace.target(text)
    point = workspace.point(target)
    with quiet():  # it was run for the gradient
        value = target.with_inputs(point).function(*point.values())
    if isinstance(value, (bool, np.bool_)) or getattr(value, "dtype", None) == np.bool_:
        return value if isinstance(value, bool) else plain(value), "a comparison is true or false and has no derivative"
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        raise refused
    typed = " ".join(text.split())
    return plain(value), f"`jacobian {typed}` has its derivatives"
