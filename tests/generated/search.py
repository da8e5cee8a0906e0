"""The outcome of deriving generated programs: derived, refused by name and line, or a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradcli
from gradcli.errors import DetachedError, GradcliError, InternalError
from tests.generated.programs import Writer, function_of, point_of

FORMS: tuple[dict[str, Any], ...] = (
    {},
    {"value": True},
    {"mode": "forward"},
    {"mode": "jacobian", "wrt": ["v"]},
    {"mode": "hessian", "wrt": ["v"]},
    {"mode": "hessian", "wrt": ["a"]},
    {"wrt": ["b", "xs"]},
    {"straight": True, "wrt": ["a", "v"]},
    {"lang": "c", "wrt": ["a", "v"]},
    {"lang": "latex", "wrt": ["a", "v"]},
)
COMPILED = {"lang": "numba", "wrt": ["a", "v"]}


def outcome(seed: int, form: dict[str, Any]) -> str:
    """The outcome of deriving a program in one form.

    Returns:
        `derived`; `differences` for a program that the tape refuses, whose gradient agrees with differences at each
        point; the class of a refusal; `ends` if the program itself fails; or `FAILURE` and what was raised.
    """
    has_dicts = form.get("lang") != "c" and not form.get("straight")  # which these forms refuse
    function = function_of(Writer(seed, has_dicts=has_dicts).text())
    point, again = (point_of(seed, has_dicts=has_dicts) for _ in range(2))
    try:
        function(**again)
    except Exception:
        return "ends"
    try:
        source = gradcli.derive(function, at=point, **form)
    except InternalError as error:
        return f"FAILURE {error}"
    except GradcliError as error:
        return type(error).__name__ if error.hint or error.line else f"FAILURE no line and no hint: {error}"
    except Exception as error:
        return f"FAILURE {type(error).__name__}: {error}"
    if source.verified.by_tape:
        return "derived"
    return "differences" if _is_refused(function, point, form) else "FAILURE the tape's gradient is not compared"


def _is_refused(function: Callable[..., Any], point: dict[str, Any], form: dict[str, Any]) -> bool:
    """Whether the tape refuses a program by name and line."""
    places = tuple(n for n, name in enumerate(point) if name in form.get("wrt", point))
    try:
        gradcli.grad(function, places)(*point.values())
    except DetachedError as error:
        return error.line is not None
    return False


def outcomes(seeds: range, forms: tuple[dict[str, Any], ...] = FORMS) -> Iterator[tuple[int, dict[str, Any], str]]:
    """The outcome of each program in each form."""
    for seed in seeds:
        for form in forms:
            yield seed, form, outcome(seed, form)
