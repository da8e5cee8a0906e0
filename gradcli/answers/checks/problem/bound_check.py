"""A check whose target and point are bound, as the judge takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gradcli.answers.checks.problem.compared_case import RunEnvironment
from gradcli.answers.checks.problem.sampled_points import Box, Point
from gradcli.answers.checks.problem.time_budget import Clock
from gradcli.answers.targets import Target
from gradcli.shared.records.check_request import CheckRequest


@dataclass(frozen=True)
class BoundCheck:
    """A check of the derivative of a target at a point.

    Attributes:
        target: a function that takes the inputs of `point` in order.
        point: the inputs by name: numbers, arrays, and lists, tuples and dicts of them.
        wanted: the names of the inputs to differentiate by.
        against: the hand-written derivative; None for gradcli's own.
        request: what the user asked.
        others: further points to check, before the random ones.
        box: the intervals from which random values of some inputs are drawn.
        host: runs the user's code.
        clock: the time limit, and the listener for progress.
    """

    target: Target
    point: Point
    wanted: Sequence[str]
    against: Target | None = None
    request: CheckRequest = field(default_factory=CheckRequest)
    others: Sequence[Point] = ()
    box: Box = field(default_factory=dict)
    host: RunEnvironment = field(default_factory=RunEnvironment)
    clock: Clock = field(default_factory=Clock)

    def of_function(self, function: Callable[..., Any]) -> BoundCheck:
        """The same check of another function of the same inputs."""
        return replace(self, target=self.target.changed(function=function))

    def at(self, point: Point) -> BoundCheck:
        """The same check at another point; the run with names that is known is only of this function and point."""
        return replace(self, point=point, host=replace(self.host, named=None))
