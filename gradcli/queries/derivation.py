"""Derivation of the gradient as source code."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from gradcli.answers.checks.problem.sampled_points import box_of, checked_box, point_in_box
from gradcli.answers.derivation.derivation_modes import Wanted, derived
from gradcli.answers.targets import Asked, Where, resolve
from gradcli.queries.bound_target import ask
from gradcli.shared.pytree import record_value
from gradcli.shared.records.derived_source import Derived


def derive(
    target: Asked, at: Where, *, box: Iterable[str] = (), command: str = "gradcli derive", **wanted: Any
) -> Derived:
    """Derive the gradient program of `target`, using a run at `at` for the kinds and shapes of its values.

    Args:
        target, at: as typed, or as read before.
        box: intervals of inputs; without a point, the program is run at a point within them.
        command: the command line, which is written into the source, with the point if none was typed.
        wanted: `wrt` as typed, and `mode`, `value`, `vector`, `straight` and `lang`, as for `gradcli.derive`.
    """
    resolved = resolve(target)
    intervals = checked_box(box_of(box), resolved, None)
    question = ask(resolved, point_in_box(intervals, resolved) if at is None and intervals else at, wanted.get("wrt"))
    if "--at" not in shlex.split(command) and not intervals and question.point:
        command = f"{command} --at {shlex.quote(_typed(record_value(question.point)))}"
    with question.guard(f"in {resolved.name}"):
        source = derived(resolved, question.point, command, Wanted(**{**wanted, "wrt": question.wanted}))
    return question.answer(
        Derived,
        source.language,
        source.text,
        source.verified.by_tape,
        source.verified.by_differences,
    )


def _typed(point: Mapping[str, Any]) -> str:
    """A point as it is typed."""
    return ",".join(f"{name}={json.dumps(value)}" for name, value in point.items())
