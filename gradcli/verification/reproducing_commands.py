"""The command that reproduces a case, and the result of a case that is not run."""

from __future__ import annotations

import shlex
from typing import Any

from gradcli.shared.records.verification import CaseResult, GradientCase
from gradcli.verification.check_options import command_line


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
    """The command that reproduces a case: `check`, or `verify` if its point or its function cannot be typed."""
    if case.marked == "":
        return f"gradcli.verify({case.against})"
    options = {name: value for name, value in case.options.items() if not (name == "of" and value == "gradient")}
    if not options.get("points") and case.of == "gradient":
        options.pop("seed", None)  # no random points are drawn
    if case.marked:
        at = options.get("at")  # an object of Python
        has_name = case.target.rpartition(":")[2].replace(".", "").isidentifier()
        if not has_name or not _can_be_typed(at):
            return command_in_worker(case)
        if not isinstance(at, str):
            options["at"] = ",".join(map(repr, at)) if isinstance(at, tuple) else repr(at)
    return command_line(case.target, case.against, options)


def command_in_worker(case: GradientCase) -> str:
    """The `verify` command for a case that is not run or ends its process, where `check` would end differently."""
    return shlex.join(["gradcli", "verify", case.marked or case.target])


def _can_be_typed(at: Any) -> bool:
    """Whether the point of a mark is text, a number or a tuple of numbers, and not another object or computed."""
    parts = at if isinstance(at, tuple) else (at,)
    return isinstance(at, str) or all(isinstance(number, (int, float)) for number in parts)
