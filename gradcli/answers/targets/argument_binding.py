"""Binding of a point's values to a target's parameters: by name, in order, or all to a single parameter."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from gradcli.answers.targets import point_objects
from gradcli.answers.targets.point_lexer import Given, add
from gradcli.answers.targets.point_values import is_number
from gradcli.answers.targets.target import Parameter, Target
from gradcli.errors import PointError
from gradcli.mathematics.language.syntax import input_names
from gradcli.mathematics.language.tokens import meant
from gradcli.shared.message_wording import count_text, list_text, refuse_unknown


def fit(given: Given, target: Target) -> dict[str, Any]:
    """Bind the given values to the inputs, in the order of the parameters; the values are unchanged.

    Raises:
        PointError: too many or too few values, an unknown or missing name, or a target without inputs.
    """
    known = target.names if target.tree is None else input_names(target.tree)
    named: dict[str, Any] = {}
    for name, value in given.named.items():
        add(named, meant(name, known), value)
    if target.tree is not None:  # constants to which the point gives a value are inputs
        target = target.with_inputs(name for name in known if name in target.names or name in named)
    refuse_no_inputs(target)
    fitted = _by_name(named, target)
    if given.positional:
        fitted |= _in_order(given.positional, fitted, target)
    inputs = _inputs(target, len(fitted))
    if missing := _missing(inputs, fitted):
        raise PointError(f"The point gives no value for {list_text(missing)}.", hint=spellings(target))
    return {name: fitted[name] for name in dict.fromkeys([*inputs, *fitted]) if name in fitted}


def spellings(target: Target) -> str:
    """Say in a hint how a point of the target is typed, in order and by name."""
    needed = _needed(target)
    who, word = (target.name, "parameter") if target.tree is None else ("The expression", "input")
    if not needed:
        return f"{who} has no {word}s, so it has no gradient."
    if needed[0].many:
        return f"{who} takes any number of values: --at 1,2,3."
    if needed[0].kind == "keywords":
        return f"{who} takes any named values: --at a=1,b=2."
    if len(needed) == 1:
        name = needed[0].name
        if fields := point_objects.spelling(needed[0].annotation):
            return f"{who} takes one {word} {name}: --at '{name}={fields}'."
        return f"{who} takes one {word} {name}: --at 3 for a number, --at 1,2,3,4 for an array."
    takes = f"{who} takes {count_text(needed, word)} {list_text([p.name for p in needed])}"
    numbers = [str(1 + place) for place in range(len(needed))]
    named = ",".join(f"{parameter.name}={number}" for parameter, number in zip(needed, numbers, strict=True))
    return f"{takes}: --at {','.join(numbers)} or --at {named}."


def _needed(target: Target) -> list[Parameter]:
    """The required parameters, or the first parameter if none is required."""
    return [parameter for parameter in target.parameters if parameter.required] or list(target.parameters[:1])


def refuse_no_inputs(target: Target) -> None:
    """Refuse a target without parameters, which has no gradient.

    Raises:
        PointError: the target has no parameters.
    """
    if target.parameters:
        return
    if target.tree is None:
        hint = f"Give it a parameter to differentiate by: def {target.name}(x)."
        raise PointError(f"{target.name} takes no parameters, so it has no gradient.", hint=hint)
    hint = "Name a constant in the point to make it an input: --at pi=3."
    raise PointError("The expression has no inputs, so it has no gradient.", hint=hint)


def _inputs(target: Target, many: int) -> dict[str, Parameter]:
    """The names that a point may use, with their parameters. A variadic parameter has `many` names."""
    inputs: dict[str, Parameter] = {}
    for parameter in target.parameters:
        names = map(parameter.element, range(many)) if parameter.many else [parameter.name]
        inputs |= {name: parameter for name in names if parameter.kind != "keywords"}
    return inputs


def _by_name(named: dict[str, Any], target: Target) -> dict[str, Any]:
    """The values given by name; a list for a variadic parameter, such as `args=[1,2]`, is split into its items.

    For any other parameter, `p[0]=1,p[1]=2` gives its elements.
    """
    fitted = dict(named)
    for parameter in target.parameters:
        if parameter.many and isinstance(fitted.get(parameter.name), (list, tuple)):
            values = fitted.pop(parameter.name)
            fitted |= {parameter.element(place): value for place, value in enumerate(values)}
        elements = [*takewhile(fitted.__contains__, map(f"{parameter.name}[{{}}]".format, range(len(fitted))))]
        if elements and not parameter.many and parameter.name not in fitted:
            fitted[parameter.name] = [fitted.pop(element) for element in elements]
    free = any(parameter.kind == "keywords" for parameter in target.parameters)
    checked = [name for name in fitted if not (free and name.isidentifier())]
    known = _inputs(target, max(1, len(fitted)))
    refuse_unknown(checked, known)
    return fitted


def _in_order(values: list[Any], fitted: dict[str, Any], target: Target) -> dict[str, Any]:
    """Bind the values given without a name to parameters that have no value yet."""
    inputs = _inputs(target, len(values) + len(fitted)).items()
    free = {name: p for name, p in inputs if name not in fitted and (p.many or p.kind == "positional" or p.required)}
    needed = [name for name, parameter in free.items() if parameter.required]
    if any(parameter.many for parameter in free.values()) and len(values) >= len(needed):
        return dict(zip(free, values, strict=False))
    takers = needed or list(free)
    if len(values) == len(takers):
        return dict(zip(takers, values, strict=True))
    settable = _settable(free)
    if len(values) == len(settable) or (len(needed) != 1 and len(takers) < len(values) < len(settable)):
        return dict(zip(settable, values, strict=False))
    if takers == [parameter.name for parameter in _needed(target)] and len(takers) == 1 and all(map(is_number, values)):
        return {takers[0]: values}
    came = f"{count_text(values, 'value')} came, {len(takers)} {'is' if len(takers) == 1 else 'are'} needed"
    raise PointError(f"The point does not fit: {came}.", hint=spellings(target))


def _settable(free: Mapping[str, Parameter]) -> list[str]:
    """The parameters that can take numbers in order: all before the first whose default is not a number."""
    return list(takewhile(lambda name: free[name].required or _is_default_number(free[name].default), free))


def _is_default_number(default: Any) -> bool:
    return is_number(default) and not isinstance(default, bool)


def read_as(given: Given, fitted: Mapping[str, Any], target: Target) -> str | None:
    """Say whether ambiguous numbers were read as one array or as a value each; None if unambiguous."""
    values = given.positional
    needed = [parameter for parameter in target.parameters if parameter.required]
    free = {parameter.name: parameter for parameter in target.parameters if parameter.kind == "positional"}
    settable = _settable(free)
    if given.named or len(needed) != 1 or not 2 <= len(values) <= len(settable) or not all(map(is_number, values)):
        return None
    by_name = [f"{name}={value}" for name, value in zip(settable, values, strict=False)]
    if len(fitted) == 1:
        return f"the numbers are read as the array {needed[0].name}; for separate numbers type --at {','.join(by_name)}"
    return f"the numbers are read as {', '.join(by_name)}; for an array type --at [{','.join(map(str, values))}]"


def _missing(inputs: dict[str, Parameter], fitted: dict[str, Any]) -> list[str]:
    """The names that need a value and have none: required ones, and gaps in the values of a variadic parameter."""
    many = [name for name, parameter in inputs.items() if parameter.many]
    last = max((place for place, name in enumerate(many) if name in fitted), default=-1)
    required = [name for name, parameter in inputs.items() if parameter.required and name not in fitted]
    return required + [name for name in many[: last + 1] if name not in fitted]
