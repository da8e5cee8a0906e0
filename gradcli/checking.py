"""The cross-check for library users: check and assert_grad."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.crosscheck import compare
from gradcli.errors import FindingWarning
from gradcli.records import Comparison, Verdict
from gradcli.targets import Target, as_point
from gradcli.targets.functions import function_target
from gradcli.transforms import name_of


def check(
    f: Callable[..., Any], *, at: Any, against: Callable[..., Any] | None = None, strict: bool = False
) -> Comparison:
    """Judge a gradient by independent methods.

    Args:
        f: a plain Python function that returns one number.
        at: the point: a tuple holds the arguments in order, a mapping with the names of the parameters holds them by
            name, anything else is the one argument.
        against: a hand-written gradient of the same arguments; without it the tape's own gradient is judged.
        strict: count KINK and CUT as inconclusive.

    Returns:
        A Comparison with `.verdict`, one of pass, fail, nonfinite, unchecked and inconclusive, and `.components`,
        worst first, each with `.name`, `.verdict`, the numbers of each method and `.reason`.

    Raises:
        UsageError: the function returns no number, or the point does not fit it.
        NotFiniteError: the point is not finite.
        TapeError: the program cannot be followed.

    The reference is the derivative of the recorded program at the exact binary point with 30 digits.
    """
    target = _target(f)
    point = as_point(_as_argument(at, target), target)
    candidate = _target(against) if against is not None else None
    return compare(target.with_inputs(point), point, tuple(point), against=candidate, strict=strict)


def _target(f: Callable[..., Any]) -> Target:
    return function_target(name_of(f), name_of(f), f)


def _as_argument(at: Any, target: Target) -> Any:
    """A mapping that names no parameter is the one argument itself."""
    names_none = isinstance(at, Mapping) and at and not set(map(str, at)) & set(target.names)
    return (at,) if names_none and len(target.parameters) == 1 else at


def assert_grad(
    f: Callable[..., Any], *, at: Any, against: Callable[..., Any] | None = None, strict: bool = False
) -> None:
    """Raise AssertionError, with the table of components, unless the gradient is right; arguments as for `check`.

    A comparison that is inconclusive warns with a FindingWarning and does not fail.
    """
    comparison = check(f, at=at, against=against, strict=strict)
    if comparison.verdict in ("fail", "nonfinite", "unchecked"):
        raise AssertionError(table(comparison))
    if comparison.verdict == "inconclusive":
        warnings.warn(table(comparison), FindingWarning, stacklevel=2)


def table(comparison: Comparison) -> str:
    """A comparison as plain text: the verdict, then one line a component that did not pass."""
    lines = [f"{comparison.target}: {comparison.verdict}"]
    for row in comparison.components:
        if row.verdict is not Verdict.PASS:
            reference = "none" if row.reference is None else repr(row.reference)
            numbers = f"candidate {row.candidate!r}, reference {reference}"
            lines.append(f"  {row.verdict.value} {row.name}: {numbers}; {row.reason}")
    return "\n".join(lines)
