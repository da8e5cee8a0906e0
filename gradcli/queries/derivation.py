"""The gradient as source code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradcli import records
from gradcli.checks.problem.sampled_points import box_of, checked_box, middle
from gradcli.derivation.derived_program import Wanted, derived
from gradcli.numerics.coordinates import plain
from gradcli.queries.bound_target import ask
from gradcli.targets import Asked, Where, resolve


def derive(
    target: Asked, at: Where, *, box: Iterable[str] = (), command: str = "gradcli derive", **wanted: Any
) -> records.Derived:
    """The program of the gradient of `target`, run at `at` to learn what its values are.

    Args:
        target, at: as typed, or as read before.
        box: intervals of inputs, in whose middle the program is run where no point is given.
        command: what was typed, for the file to carry.
        wanted: `mode`, `value`, `vector`, `straight` and `lang`, as for `gradcli.derive`.
    """
    found = resolve(target)
    intervals = checked_box(box_of(box), found, None)
    question = ask(found, middle(intervals, found) if at is None and intervals else at)
    with question.guard(f"in {found.name}"):
        source = derived(found, question.point, command, Wanted(**wanted))
    return records.Derived(
        found.text,
        plain(question.point),
        source.language,
        source.text,
        source.verified.by_tape,
        source.verified.by_differences,
        found.reading,
        found.findings,
    )
