"""What a gradient costs: its time beside that of the function, and from how many inputs on it beats differences."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gradcli.answers.targets import Asked, Where
from gradcli.engine.running.muted_reruns import quiet
from gradcli.methods.numerics.coordinates import coordinates, copied
from gradcli.queries.bound_target import ask
from gradcli.queries.derivatives import unchanged, value_and_gradient
from gradcli.shared.records.derivatives import GradientCost, MeasuredCost

SLICE = 0.02  # seconds of one measurement
WHOLE = 0.3  # seconds of all measurements of one function


def gradient_cost(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> GradientCost:
    """The time of the gradient of `target` at `at`, recorded and compiled, beside the function and differences.

    The function runs for a second, and at least six times. Its output is not shown, and its state is as before.
    """
    from gradcli.answers.compilable_transforms import value_and_grad

    question = ask(target, at, wrt, device)
    value, gradient, findings = value_and_gradient(question)
    arguments = [int(x) if isinstance(x, int) and type(x) is not bool else x for x in question.arguments]
    compiled: Any = value_and_grad(question.function, question.places, compile=True)
    with question.running(), quiet(), unchanged(question):
        function = _seconds(question.function, arguments)
        recorded = _seconds(value_and_grad(question.function, question.places), arguments)
        compiled(*copied(arguments))
        report = compiled.report()
        seconds = _seconds(compiled, arguments) if report.programs else None
    count = len(coordinates(question.point, question.wanted))
    return question.answer(
        GradientCost,
        value,
        gradient,
        count,
        (
            MeasuredCost("function", function, 1.0),
            MeasuredCost("differences", (count + 1) * function, count + 1.0),
            _measured("recorded gradient", recorded, function),
            *([_measured("compiled gradient", seconds, function)] if seconds is not None else []),
        ),
        "" if report.programs else ", ".join(reason for _, reason in report.eager),
        findings=findings,
    )


def _measured(name: str, seconds: float, function: float) -> MeasuredCost:
    """The cost of a gradient; one-sided differences by n inputs take n + 1 calls of the function."""
    return MeasuredCost(name, seconds, seconds / function, max(1, int(seconds / function)))


def _seconds(function: Callable[..., Any], arguments: list[Any]) -> float:
    """Seconds of one call: the shortest of a few measurements, or the one call of a slow function."""
    best = _measurement(function, arguments, 1)
    rounds, end = max(1, int(SLICE / best)), time.perf_counter() + WHOLE - best
    while time.perf_counter() < end:
        best = min(best, _measurement(function, arguments, rounds))
    return best


def _measurement(function: Callable[..., Any], arguments: list[Any], rounds: int) -> float:
    arguments = copied(arguments)  # once, since copies would count
    started = time.perf_counter()
    for _ in range(rounds):
        function(*arguments)
    return (time.perf_counter() - started) / rounds
