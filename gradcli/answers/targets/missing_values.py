"""Names without a value: what is said of them, and the point that the known values of a target's parameters make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.answers.targets.target import Target
from gradcli.errors import PointError
from gradcli.mathematics.language.tokens import meant
from gradcli.shared.message_wording import did_you_mean, list_text

MOST_GIVEN = 12  # names in a hint that assigns values to them


def without_value(names: Sequence[str]) -> str:
    """The start of a message: `x has no value`, `x and y have no value`."""
    listed = " and ".join(names) if len(names) == 2 else list_text(names)
    return f"{listed} {'has' if len(names) == 1 else 'have'} no value"


def value_assignments(names: Sequence[str]) -> str:
    """Text that gives values to some names: `x = 1`, or `at x=1,y=1` for several."""
    return f"{names[0]} = 1" if len(names) == 1 else "at " + ",".join(f"{name}=1" for name in names[:MOST_GIVEN])


def point_of(target: Target, values: Mapping[str, Any]) -> dict[str, Any]:
    """The point made of the known values of a target's parameters, by name.

    Raises:
        PointError: a required parameter has no value.
    """
    values = {meant(name, target.names): value for name, value in values.items()}
    missing = [parameter.name for parameter in target.parameters if parameter.required and parameter.name not in values]
    if missing:
        typed = f"Type {value_assignments(missing)}, or give the point with --at."
        near = did_you_mean(missing[0], values)
        hint = f"{near} {typed}" if near else typed
        raise PointError(f"{without_value(missing)}.", hint=hint)
    return {name: values[name] for name in target.names if name in values}
