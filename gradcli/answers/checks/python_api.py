"""The check for library users: `check` and `assert_grad`."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal

from gradcli.answers.checks.candidate_parsing import candidate_target, numbers_target
from gradcli.answers.checks.multi_point_check import checked
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.checks.problem.reproducibility import shared_input_findings
from gradcli.answers.checks.problem.sampled_points import checked_box
from gradcli.answers.checks.problem.time_budget import Clock
from gradcli.answers.targets import Target, as_point, resolve
from gradcli.answers.targets.functions import function_target
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.tape.values.labelled_arrays import has_labels, taking_numbers, without_labels
from gradcli.errors import FindingWarning, UsageError
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared.message_wording import list_text, unknown_argument
from gradcli.shared.pytree import point_text
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Comparison, Verdict
from gradcli.shared.records.component_blocks import row_lines
from gradcli.shared.records.result_and_finding import KINDS

ARGUMENTS = ("at", "against", "strict", "of", "rtol", "atol", "points", "box", "seed", "max_seconds")
OF_COMMANDS = ("listener", "resumes")  # arguments that only gradcli's own commands pass
NUMBERS = (("points", 0, "20"), ("max_seconds", 0.0, "60"), ("rtol", 0.0, "1e-6"), ("atol", 0.0, "1e-9"))
"""The arguments that are numbers: the least value, and an example."""


@library_call
def check(f: Callable[..., Any] | str, *, at: Any, against: Any = None, strict: bool = False, **run: Any) -> Comparison:
    """Check a gradient against independent methods.

    Args:
        f: a Python function that returns one number, or a target as text, such as "x**2 + y".
        at: the point. A tuple with as many values as there are required parameters gives them in order, a mapping with
            the names of the parameters gives them by name, and anything else is the single argument. Values are passed
            to `f` as they are: a list stays a list.
        against: a hand-written gradient: a function of the same arguments, a target as text, or the numbers themselves
            in the structure of the point. Without it, gradcli's own gradient is checked.
        strict: whether KINK, CUT and a gradient that is wrong beside the point count as inconclusive (default False).
            Within `box`, such a gradient always does.
        of: the derivative to check: "gradient" (default), "jacobian", "hessian", or "hvp", the product of the Hessian
            with a random vector. For "hvp", `against` takes the inputs followed by a vector for each.
        rtol, atol: wider tolerances, relative to the reference and absolute, the latter in units of the derivative.
        points: the number of further random points to check (default 0).
        box: a mapping from the names of inputs to the intervals (low, high) from which random points are drawn.
        seed: the random seed (default 0).
        max_seconds: the time limit in seconds, including loading the target; None (default) and math.inf mean no limit.
            A call that does not return is interrupted only in the main thread.

    Returns:
        A Comparison. `.verdict` is "pass", "fail", "nonfinite", "unchecked" or "inconclusive". `.components` are
        sorted, worst first; each has `.name`, `.verdict`, the number found by each method, and `.reason`. A complex
        number z of the point has two components, `z.real` and `z.imag`; its gradient is the derivative by the real part
        plus i times the derivative by the imaginary part.

    Raises:
        UsageError: the function does not return a number, or the point or the gradient does not fit it.
        NotFiniteError: the point is not finite.
        OutOfTimeError: the time ran out before any component was decided.

    The reference is the derivative of the recorded program, computed with 30 digits or more at the exact binary point.
    If the tape cannot follow the function, finite differences alone decide; without `against` the verdict is then
    "unchecked".
    """
    _check_run(run)
    clock = Clock(run.get("max_seconds"), run.pop("listener", None))
    return clock.limit(lambda: _checked(f, at, CheckRequest(against=against, strict=strict, **run), clock))


def _checked(f: Callable[..., Any] | str, at: Any, request: CheckRequest, clock: Clock) -> Comparison:
    target = resolve(f)
    point = as_point(without_labels(at), target)
    bound = target.with_inputs(point)
    against = None if request.against is None else _claimed(request.against, bound)
    given = tuple(value for _, value in _arrays(at, point))
    if has_labels(given):
        bound = bound.changed(function=taking_numbers(bound.function, given))
        if against is not None and callable(request.against):
            against = against.changed(function=taking_numbers(against.function, given))
    box = checked_box(request.box or {}, target, point)
    check = BoundCheck(bound, point, tuple(point), against, request, box=box, clock=clock)
    return checked(check, known=(*point.findings, *shared_input_findings(_arrays(at, point))))


def _check_run(run: Mapping[str, Any]) -> None:
    """Refuse unknown arguments, and values that are not numbers where numbers are needed."""
    for name in run:
        if name not in (*ARGUMENTS, *OF_COMMANDS):
            raise UsageError(unknown_argument("gradcli.check", name, ARGUMENTS))
    if run.get("of", KINDS[0]) not in KINDS:
        raise UsageError(f"of is {run['of']!r}.", hint=f"Pass one of {list_text(KINDS)}.")
    for name, least, example in NUMBERS:
        value = run.get(name)
        if isinstance(value, int) and abs(value) > sys.float_info.max:  # `repr` refuses some of these
            message = f"{name} is beyond float64, whose largest number is 1.8e308."
            raise UsageError(message, hint=f"Pass {name}={example}.")
        if value is not None and not (isinstance(value, (int, float)) and value >= least):
            message = f"{name} is {value!r}; it must be a number of at least {least:g}."
            raise UsageError(message, hint=f"Pass {name}={example}.")
    for name in ("rtol", "atol"):
        if not math.isfinite(run.get(name) or 0.0):
            raise UsageError(f"{name} is {run[name]!r}; it has to be finite.", hint="Pass a finite number.")


def _arrays(at: Any, point: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The inputs as the caller passed them, by name and in the order of the point."""
    if isinstance(at, Mapping) and point.keys() == at.keys():
        return [(name, at[name]) for name in point]
    return list(zip(point, at if isinstance(at, tuple) else (at,), strict=False))


def _claimed(against: Any, target: Target) -> Target:
    """Make a target of a gradient given as a function, as text, or as numbers."""
    if isinstance(against, str):
        return candidate_target(against, target)
    if not callable(against):
        return numbers_target(against)
    name = name_of(against, "the gradient")
    return function_target(name, name, against)


@library_call
def assert_grad(
    f: Callable[..., Any] | str,
    *,
    at: Any,
    against: Any = None,
    inconclusive: Literal["fail", "warn", "pass"] = "warn",
    **run: Any,
) -> None:
    """Raise an AssertionError with a table of components unless the gradient is right.

    Args:
        f, at, against, run: as for `check`.
        inconclusive: the effect of an inconclusive comparison: "fail", "warn" (default) with a FindingWarning, or
            "pass". A gradient that passes at the point and is wrong beside it has the warning unless it is "pass".

    Raises:
        AssertionError: the gradient is wrong or not finite, or nothing was checked.
        UsageError: as for `check`.
    """
    __tracebackhide__ = True  # hides this frame in pytest
    comparison = check(f, at=at, against=against, **run)
    failing = ("fail", "nonfinite", "unchecked", *(("inconclusive",) if inconclusive == "fail" else ()))
    if comparison.verdict in failing:
        raise AssertionError(table(comparison))
    if inconclusive != "pass" and (comparison.verdict == "inconclusive" or comparison.is_wrong_beside):
        warnings.warn(table(comparison), FindingWarning, stacklevel=2)


def table(comparison: Comparison) -> str:
    """A comparison as plain text: the verdict, a line for each component that did not pass, and the reasons."""
    lines = [f"{comparison.target}: {comparison.verdict} at {point_text(comparison.point)}"]
    troubled = [row for row in comparison.components if row.verdict is not Verdict.PASS]
    lines += row_lines(troubled, comparison.components)
    lines += [note for note in comparison.notes if "seed" in note or " fails, at " in note]
    return "\n  ".join([*lines, *(finding.text for finding in comparison.troubles)])
