"""The verdict of the check on a function whose rules are wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.answers.checks.comparison import compare
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.targets import Target
from gradcli.engine.running.muted_reruns import quiet
from gradcli.errors import GradcliError


def fails(function: Callable[..., Any], point: Mapping[str, Any]) -> bool:
    """Whether the check fails gradcli's own gradient of `function` at a point."""
    target = Target("mutant", "mutant", function, (), lambda names: target)
    try:
        with quiet():
            return compare(BoundCheck(target, dict(point), tuple(point))).verdict == "fail"
    except GradcliError:
        return False
