"""The verdict of the check on a function whose rules are wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.checks.comparison import compare
from gradcli.errors import GradcliError
from gradcli.running.muted_reruns import quiet
from gradcli.targets import Target


def fails(function: Callable[..., Any], point: Mapping[str, Any]) -> bool:
    """Whether the check fails the gradient of `function` at a point."""
    target = Target("mutant", "mutant", function, (), lambda names: target)
    try:
        with quiet():
            return compare(target, dict(point), tuple(point)).verdict == "fail"
    except GradcliError:
        return False
