"""Running one case in this process: its function is loaded and checked, and every exception becomes a result."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext
from typing import Any

from gradcli import queries
from gradcli.answers.targets import Target, resolve
from gradcli.answers.targets.functions import function_target, target_of
from gradcli.answers.targets.target_resolution import neighbour
from gradcli.errors import GradcliError, NotFiniteError, OutOfTimeError, TapeError, UsageError, UserCodeError
from gradcli.methods.adapters.adapter_table import adapted
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Comparison, Outcome, Verdict
from gradcli.shared.records.verification import CaseResult, CodeLocation, GradientCase
from gradcli.shared.temporary_settings import temporary_attributes
from gradcli.verification.check_options import LOCAL, SECONDS, InputPlace, read_options
from gradcli.verification.gradient_marks import Mark, mark_of
from gradcli.verification.reproducing_commands import command_in_worker, command_of, unrun

LONGEST = 2**16  # characters of a message that are kept
OUTCOMES: tuple[tuple[type[BaseException], Outcome], ...] = (
    (NotFiniteError, "nonfinite"),
    (OutOfTimeError, "timeout"),
    (TapeError, "raised"),
    (UserCodeError, "raised"),
    (UsageError, "error"),
)


def run_case(case: GradientCase, *, live: Mark | None = None, stays: bool = False) -> CaseResult:
    """Run a case in this process and return its result.

    Args:
        case: the case.
        live: the mark of a function that is already loaded, as in a notebook.
        stays: whether to keep the current folder, so that relative paths of the case refer to it.
    """
    started = time.perf_counter()
    result = CaseResult(case, "unchecked", command=command_of(case))
    if (known := unrun(case)) is not None:
        return known
    with nullcontext() if stays else chdir(case.folder):
        try:
            result = _checked(case, live, result)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            result = _failed(error, result)
    result = result.changed(seconds=time.perf_counter() - started)
    return result.changed(accepted="allow") if result.outcome in case.allow else result


def _checked(case: GradientCase, live: Mark | None, result: CaseResult) -> CaseResult:
    """Run the check and return its result."""
    options = dict(case.options)
    target, against, marked = _functions(case, live)
    if marked is not None:
        options |= options_of(marked, InputPlace(f"{case.file}:{case.line}, the mark", case.file, case.line))
    at = options.pop("at", None)
    request = CheckRequest(**{"max_seconds": SECONDS, **options}, against=against)
    derivative = _located(against if against is not None else target)
    function = _located(target) if against is not None else None
    result = result.changed(derivative=derivative, function=function)
    with _output_aside():
        comparison = queries.check(target, at, request)
    return result.changed(outcome=comparison.verdict, message=_message(comparison), comparison=comparison)


def _functions(case: GradientCase, live: Mark | None) -> tuple[Target, Any, Mark | None]:
    """The function, the derivative, and the mark, if the case has one."""
    mark = live
    if case.marked is not None and live is None:
        derivative = resolve(case.marked)
        mark = mark_of(derivative.function)
        if mark is None:
            raise UsageError(f"{case.marked} has lost its mark: it is another function once its module is loaded.")
        return _marked_target(mark, derivative, case.target), derivative, mark
    if mark is not None:
        derivative = function_target(case.against or "", str(getattr(mark.derivative, "__name__", "")), mark.derivative)
        return _marked_target(mark, derivative, case.target), derivative, mark
    target = resolve(case.target)
    claimed = _derivative(case.against, target)
    same = isinstance(claimed, Target) and claimed.function is target.function
    return target, None if same else claimed, None


def _derivative(against: str | None, target: Target) -> Any:
    """The hand-written derivative as an argument of `check`; a bare name is looked up in the function's module."""
    if against is None or ":" not in against:
        neighbouring = neighbour(target, against) if against and against.replace(".", "").isidentifier() else None
        return neighbouring or against
    return resolve(against)


def _marked_target(mark: Mark, derivative: Target, text: str) -> Target:
    """The function named by a mark, either the object itself or a name in the derivative's module."""
    if isinstance(mark.function, str):
        neighbouring = neighbour(derivative, mark.function)
        if neighbouring is None:
            raise UsageError(
                f"{derivative.text} is marked as a derivative of {mark.function!r}, which its module lacks."
            )
        return neighbouring
    return target_of(text, str(getattr(mark.function, "__name__", text)), adapted(mark.function) or mark.function)


def options_of(mark: Mark, place: InputPlace) -> dict[str, Any]:
    """The options of a mark; its point is passed unchanged.

    Raises:
        UsageError: an option is unknown or has an invalid value.
    """
    options = {key: value for key, value in mark.options.items() if key not in ("at", "name", "allow")}
    read = read_options({key.replace("_", "-"): value for key, value in options.items()}, LOCAL, place)
    return {"of": mark.of, **read, **({"at": mark.options["at"]} if "at" in mark.options else {})}


def _located(target: Any) -> CodeLocation | None:
    """The place where a function is defined."""
    if not isinstance(target, Target) or target.file is None or target.line is None:
        return None
    import inspect
    import linecache

    lines = inspect.getblock(linecache.getlines(target.file)[target.line - 1 :]) or [""]
    first = lines[0]
    file = os.path.abspath(target.file)
    return CodeLocation(file, target.line, target.line + len(lines) - 1, len(first) - len(first.lstrip()) + 1)


def _message(comparison: Comparison) -> str:
    """The result of a comparison as one line."""
    rows = [row for row in comparison.components if not row.is_settled]
    if comparison.is_wrong_beside and not rows:
        return "right at the point, but wrong beside it [G305]"
    if comparison.verdict == "pass" and not rows:
        return f"{len(comparison.components)} component{'s' * (len(comparison.components) != 1)}"
    if not rows:
        return comparison.findings[0].message if comparison.findings else "nothing was checked"
    row, more = rows[0], f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    numbers = ""
    if row.verdict is Verdict.FAIL and row.candidate is not None and row.reference is not None:
        numbers = f" {row.candidate!r} for {row.reference!r}"
    elif row.reason:
        numbers = f": {row.reason}"
    return f"{row.verdict.value} {row.name}{numbers}{more}"


def stopped(case: GradientCase) -> CaseResult:
    """The result of a case that raised KeyboardInterrupt."""
    return CaseResult(case, "raised", "KeyboardInterrupt", command=command_in_worker(case))


def _failed(error: BaseException, result: CaseResult) -> CaseResult:
    """The result of a case that raised an exception."""
    for kind, outcome in OUTCOMES:
        if isinstance(error, kind):
            assert isinstance(error, GradcliError)
            hint = [error.hint] if error.hint else []
            if result.place is None and error.file and error.line:  # the case failed before it was loaded
                result = result.changed(function=CodeLocation(os.path.abspath(error.file), error.line, error.line))
            message = error.message[:LONGEST]
            return result.changed(outcome=outcome, message=message, details=(*error.excerpt(), *hint))
    if isinstance(error, MemoryError):
        return result.changed(outcome="raised", message="MemoryError: the memory was used up during the check")
    import traceback

    lines = "".join(traceback.format_exception(error)).rstrip().split("\n")
    message = f"This is a bug in gradcli: {type(error).__name__}: {error}"
    return result.changed(outcome="crashed", message=message, details=tuple(lines))


@contextmanager
def _output_aside() -> Iterator[None]:
    """Redirect the output of the user's code to stderr."""
    with temporary_attributes(sys, stdout=sys.stderr):
        yield
