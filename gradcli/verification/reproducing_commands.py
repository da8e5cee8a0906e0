"""The command that reproduces a case, and the result of a case that is not run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from gradcli.shared.records.verification import CaseResult, GradientCase
from gradcli.verification.check_options import command_line, has_point


def unrun(case: GradientCase) -> CaseResult | None:
    """The result of a case that is not run; None if the case is to be run."""
    if case.fault:
        return CaseResult(case, "error", case.fault, command=command_in_worker(case))
    if case.skip:
        return CaseResult(case, "skipped", case.skip, command=command_in_worker(case))
    if case.missing:
        return CaseResult(case, "unchecked", case.missing, command=command_in_worker(case))
    return None


def command_of(case: GradientCase) -> str:
    """The command that reproduces a case: `check`, or `verify` if the point is a Python object."""
    if case.marked == "":
        return f"gradcli.verify({case.against})"
    options = {name: value for name, value in case.options.items() if not (name == "of" and value == "gradient")}
    if not options.get("points") and case.of == "gradient":
        options.pop("seed", None)  # no random points are drawn
    at = options.get("at")
    if case.marked is not None:
        if (case.marked and not (isinstance(at, (str, int, float)) or _is_plain(at))) or _is_computed(case, options):
            return command_in_worker(case)
        if at is not None and not isinstance(at, str):
            options["at"] = ",".join(map(repr, at)) if isinstance(at, tuple) else repr(at)
    return command_line(case.target, case.against, options)


def command_in_worker(case: GradientCase) -> str:
    """The `verify` command for a case that is not run or ends its process, where `check` would end differently."""
    return shlex.join(["gradcli", "verify", case.marked or case.target])


def _is_plain(at: Any) -> bool:
    """Whether a mark's point can be typed on the command line."""
    return isinstance(at, tuple) and all(isinstance(number, (int, float)) for number in at)


def _is_computed(case: GradientCase, options: Mapping[str, Any]) -> bool:
    """Whether the point of a mark exists only in its module, or its function has no name there."""
    named = case.target.rpartition(":")[2].replace(".", "").isidentifier()
    return not named or not has_point(options)
