"""Python functions as targets: their declared parameters, and calls with the inputs in any order."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gradcli.answers.targets.target import Kind, Parameter, Target
from gradcli.shared.findings import finding
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import refuse_unknown
from gradcli.shared.records.result_and_finding import Finding

if TYPE_CHECKING:
    from gradcli.methods.adapters.adapted_object import AdaptedObject

KINDS: dict[Any, Kind] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.VAR_POSITIONAL: "variadic",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "keywords",
}

CALLEE = "_gradcli_callee"  # the attribute of an arranged function that holds the user's


def target_of(text: str, name: str, thing: Callable[..., Any] | AdaptedObject) -> Target:
    """Make a target of a Python function, or of what an adapter made of an object, with the derivatives it brings."""
    if callable(thing):
        return function_target(text, name, thing)
    derivatives = {
        kind: function_target(f"{text}.{brought.name}", f"{name}.{brought.name}", brought.function)
        for kind, brought in thing.derivatives.items()
    }
    file, line = place_of(thing.source)
    target = function_target(text, name, thing.value)
    notes = (finding("G417", thing.note),) if thing.note else ()
    known = {"file": file, "line": line, "derivatives": derivatives, "findings": (*target.findings, *notes)}
    return target.changed(**known, rebind=lambda inputs: target.rebind(inputs).changed(**known))


def function_target(text: str, name: str, callee: Callable[..., Any]) -> Target:
    """Make a target of a Python function."""
    callee, findings = _uncached(callee, name)
    parameters = parameters_of(callee)
    many = any(parameter.many for parameter in parameters)
    named = [parameter.name for parameter in parameters if parameter.kind != "keywords"]
    function = callee if many else arrange(parameters, named).calling(callee)
    file, line = place_of(callee)

    def rebind(inputs: tuple[str, ...]) -> Target:
        arrangement = arrange(parameters, inputs)
        taken = tuple(arrangement.owners[name].changed(name=name, required=True, kind="positional") for name in inputs)
        return target.changed(function=arrangement.calling(callee), parameters=taken)

    target = Target(text, name, function, parameters, rebind, file=file, line=line, findings=findings)
    return target


def _uncached(callee: Callable[..., Any], name: str) -> tuple[Callable[..., Any], tuple[Finding, ...]]:
    """The function inside a cache, with a finding. A cached call would return an earlier result."""
    if type(callee) is not functools._lru_cache_wrapper:
        return callee, ()
    return callee.__wrapped__, (finding("G413", f"{name} is memoised: the function inside its cache is called"),)


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The declared parameters of a function; they are guessed for a C function without a signature."""
    any_number = Parameter("x, y, …", required=False, kind="guessed")
    try:
        if isinstance(count := getattr(function, "nin", None), int):  # a ufunc
            return tuple(Parameter(any_number.element(index)) for index in range(count))
        return tuple(map(_declared, _signature(function).parameters.values()))
    except Exception:
        return (any_number,)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature, with string annotations evaluated in the user's module where possible."""
    try:
        return inspect.signature(function, eval_str=True)
    except Exception:
        return inspect.signature(function)


def _declared(parameter: inspect.Parameter) -> Parameter:
    kind, optional = KINDS[parameter.kind], parameter.default is not parameter.empty
    required = not optional and kind not in ("variadic", "keywords")
    default = parameter.default if optional else None
    return Parameter(parameter.name, required, default, kind, _annotation(parameter))


def _annotation(parameter: inspect.Parameter) -> Any:
    """The declared type of a parameter, else the type of a default that is a dataclass or named tuple."""
    if parameter.annotation is not parameter.empty:
        return parameter.annotation
    kind = type(parameter.default)
    return kind if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "_fields") else None


def place_of(function: Callable[..., Any]) -> tuple[str | None, int | None]:
    """The file and line that define a Python function; None and None for other callables."""
    try:
        code = getattr(inspect.unwrap(function), "__code__", None)
    except Exception:
        return None, None
    return (code.co_filename, code.co_firstlineno) if inspect.iscode(code) else (None, None)


def source_of(function: Any) -> str:
    """The source of a Python function; empty if there is none, as for a C function."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError, ValueError, SyntaxError):
        return ""


class Arrangement(Frozen):
    """The way in which values in one order reach a function's parameters.

    Args:
        slots: for each positional argument, the number of its value, or the parameter whose default is passed.
        keywords: the number of the value for each keyword argument.
        owners: the parameter of each input.
    """

    slots: tuple[int | Parameter, ...]
    keywords: Mapping[str, int]
    owners: Mapping[str, Parameter]

    def calling(self, callee: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `callee` to take the values by position; return `callee` itself if the order is its own."""
        if not self.keywords and self.slots == tuple(range(len(self.slots))):
            return callee
        slots, keywords = self.slots, self.keywords

        def arranged(*values: Any) -> Any:
            count = len(values)  # values of optional parameters may be missing at the end
            given = (slot for slot in slots if isinstance(slot, Parameter) or slot < count)
            positional = [slot.default if isinstance(slot, Parameter) else values[slot] for slot in given]
            return callee(*positional, **{name: values[i] for name, i in keywords.items() if i < count})

        setattr(arranged, CALLEE, callee)
        return arranged


def callee_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The user's function that an arranged one calls; any other function unchanged."""
    return getattr(function, CALLEE, function)


def arrange(parameters: Iterable[Parameter], inputs: Iterable[str]) -> Arrangement:
    """Arrange a call of a function with these parameters, given these inputs.

    Raises:
        PointError: an input is not a parameter.
    """
    numbers = {name: number for number, name in enumerate(inputs)}
    owners: dict[str, Parameter] = {}
    slots: list[int | Parameter] = []
    filled = 0
    for parameter in parameters:
        taken = [name for name in _taken(parameter, numbers) if name not in owners]
        owners.update(dict.fromkeys(taken, parameter))
        if parameter.kind == "positional" or parameter.many:
            slots.extend([numbers[name] for name in taken] or ([] if parameter.many else [parameter]))
            filled = len(slots) if taken else filled
    refuse_unknown(numbers, owners)
    keywords = {name: numbers[name] for name, owner in owners.items() if owner.kind in ("keyword", "keywords")}
    return Arrangement(tuple(slots[:filled]), keywords, owners)


def _taken(parameter: Parameter, inputs: Mapping[str, int]) -> list[str]:
    """The inputs that are values of `parameter`."""
    if parameter.kind == "keywords":
        return [name for name in inputs if name.isidentifier()]
    if not parameter.many:
        return [parameter.name] if parameter.name in inputs else []
    return [name for name in map(parameter.element, range(len(inputs))) if name in inputs]
