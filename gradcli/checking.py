"""The cross-check for library users: check and assert_grad."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.crosscheck import compare
from gradcli.errors import FindingWarning
from gradcli.records import Comparison, Verdict
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
        TapeError: the program cannot be followed.

    The reference is the derivative of the recorded program at the exact binary point with 50 digits.
    """
    point = as_point(f, at)
    title = name_of(against) if against is not None else None
    return compare(f, point, tuple(point), title=name_of(f), against=against, against_title=title, strict=strict)


def as_point(f: Callable[..., Any], at: Any) -> dict[str, Any]:
    """The arguments by name."""
    names = _parameter_names(f)
    if isinstance(at, Mapping) and set(at) <= set(names):
        return dict(at)
    values = at if isinstance(at, tuple) else (at,)
    names += [f"x{n}" for n in range(len(names), len(values))]
    return {name: value for name, value in zip(names, map(_as_float, values), strict=False)}


def _as_float(value: Any) -> Any:
    return float(value) if isinstance(value, int) else value


def _parameter_names(f: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        return []


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
            lines.append(f"  {row.verdict.value} {row.name}: candidate {row.candidate!r}, reference {reference}; {row.reason}")
    return "\n".join(lines)
