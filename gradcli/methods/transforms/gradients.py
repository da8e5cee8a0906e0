"""Gradients of plain Python functions: grad, value_and_grad, trace, stop_gradient."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.patching import name_replacement
from gradcli.engine.running.bound_call import BoundCall, name_of
from gradcli.engine.running.recorded_run import releasing_tape, run, unwrapped
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.equal_operands import equal_operands
from gradcli.engine.tape.inputs import are_floats
from gradcli.engine.tape.memory.reference_counts import is_alone, owned_copy
from gradcli.engine.tape.sweeps.reverse_and_forward import reverse, reverse_recorded
from gradcli.engine.tape.tape import Tape, active_tape
from gradcli.engine.tape.value import Value, is_recorded, plain_value
from gradcli.engine.tape.values.complex import Complex, as_python
from gradcli.engine.tape.values.labelled_arrays import plain_part
from gradcli.engine.tape.values.scalar import Scalar
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.errors import ResultError
from gradcli.mathematics.rules.complex_parts import conjugated
from gradcli.methods.transforms.argnums import Argnums, bound_call, checked_argnums, names_of
from gradcli.methods.transforms.derivative_warnings import Derivative, is_flat, is_zero, warn
from gradcli.methods.transforms.picklable_derivative import DerivativeFunction
from gradcli.methods.transforms.public_functions import library_call
from gradcli.methods.transforms.scalar_results import number_of, result_description
from gradcli.shared import devices
from gradcli.shared.pytree import all_finite, is_structure, leaves, map_leaves

if TYPE_CHECKING:
    from gradcli.methods.transforms.limits_beside_point import LimitBesidePoint


def grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The gradient of `f` as from `gradcli.grad`, recorded at each call."""
    return _gradient(f, argnums, has_aux, functools.partial(grad, f, argnums, has_aux), "grad")


def gradient_for(needed_by: str, f: Callable[..., Any], argnums: Argnums) -> Callable[..., Any]:
    """The gradient of `f` as from `grad`, whose errors name the derivative that needs it."""
    return _gradient(f, argnums, False, functools.partial(gradient_for, needed_by, f, argnums), needed_by)


def _gradient(
    f: Callable[..., Any], argnums: Argnums, has_aux: bool, create: functools.partial[Any], needed_by: str
) -> Callable[..., Any]:
    f, argnums = name_replacement.function_to_run(f), checked_argnums(argnums)

    def gradient(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        _, derivative, aux = _value_and_gradient(f, argnums, arguments, options, has_aux, needed_by)
        return (derivative, aux) if has_aux else derivative

    return DerivativeFunction(gradient, f, create)


def value_and_grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The value of `f` and its gradient as from `gradcli.value_and_grad`, recorded at each call."""
    create = functools.partial(value_and_grad, f, argnums, has_aux)
    f, argnums = name_replacement.function_to_run(f), checked_argnums(argnums)

    def value_and_gradient(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        value, gradient, aux = _value_and_gradient(f, argnums, arguments, options, has_aux)
        return ((value, aux) if has_aux else value), gradient

    return DerivativeFunction(value_and_gradient, f, create)


def _value_and_gradient(
    f: Any,
    argnums: Argnums,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    has_aux: bool,
    needed_by: str = "grad",
) -> tuple[Any, Any, Any]:
    outer = active_tape()
    inner = 0 if outer is None else outer.run.gradients
    if type(argnums) is int and 0 <= argnums < len(arguments) and not options:
        call = BoundCall(f, arguments, (argnums,))
    else:
        call = bound_call(f, argnums, arguments, options)
    tape, start, inputs, result = run(call, outer, new_tape=releasing_tape)
    aux = None
    if has_aux:
        result, aux = taken_apart(f, result, outer is not None)
    if type(result) is Scalar and result.tape is tape:
        value = result._value
    else:
        result = result if issubclass(type(result), Value) else unwrapped(f, result)
        value = number_of(f, result, tape, needed_by)
    cts = cotangents(tape, start, result, outer is not None) if issubclass(type(result), Value) else []
    gradients = [derivatives(input_, cts, outer is not None) for input_ in inputs]
    if outer is None:
        if tape.run.singular:
            from gradcli.methods.transforms.limits_beside_point import settled

            gradients = settled(call, tape, (inputs, result), gradients, _swept_gradient)
        total = _total(value, inputs, gradients)
        if (
            tape.run.doubted
            or (isinstance(total, (float, np.floating)) and not math.isfinite(total))
            or ((total is value or total == value) and is_zero(gradients))
            or (tape.outcomes and (tape.run.jumps or equal_operands(tape)))
        ):
            warn(Derivative(call, tape, start, inputs, result, value, gradients, has_aux))
        tape.close()
    else:
        if tape.run.gradients == inner and is_untouched(inputs, cts) and is_flat(tape, start, inputs, result):
            tape.run.doubted = True  # the outermost transform tells why
        tape.run.gradients += 1
    if call.given is not call.arguments:
        gradients = call.with_labels(gradients)
    return (value if outer is None else result), (tuple(gradients) if type(argnums) is tuple else gradients[0]), aux


def _swept_gradient(tape: Tape, inputs: Any, result: Any) -> list[Any]:
    cts = cotangents(tape, 0, result, False) if issubclass(type(result), Value) else []
    return [derivatives(input_, cts, False) for input_ in inputs]


def is_untouched(entered: Any, cts: Sequence[Any]) -> bool:
    """Whether there are numbers or arrays in some arguments and none of them has a cotangent."""
    entered_leaves = leaves(entered)
    return bool(entered_leaves) and all(
        leaf.index >= len(cts) or cts[leaf.index] is UNTOUCHED for leaf in entered_leaves
    )


def _total(value: Any, inputs: list[Any], gradients: list[Any]) -> Any:
    """The sum of a value and the floats of its gradient, not finite if any is not. Arrays were checked before."""
    total = value
    for entered, gradient in zip(inputs, gradients, strict=True):
        if type(gradient) is list:
            floats = gradient if are_floats(entered) else [x for x in leaves(gradient) if type(x) is float]
            total += sum(floats)
        elif type(gradient) is float:
            total += gradient
    return total


def taken_apart(f: Any, result: Any, nested: bool) -> tuple[Any, Any]:
    """The result and the aux of a function that returns both. The aux is plain unless another transform is active.

    Raises:
        ResultError: the function did not return a pair.
    """
    if type(result) is not tuple or len(result) != 2:
        raise ResultError(
            f"{name_of(f)} returned {result_description(plain_value(result))}; with has_aux=True it must return a pair",
            hint="Return (result, aux).",
        )
    return result[0], result[1] if nested else map_leaves(plain_part, result[1])


def cotangents(tape: Tape, start: int, result: Value, nested: bool) -> list[Any]:
    """The cotangents of all rows when the result's is 1; recorded themselves inside another transform."""
    if result.index < start:
        return []  # a value from outside, which does not depend on the inputs
    value = result._value
    one = 1.0 if type(value) is float else type(value)(1) if isinstance(value, np.generic) else np.ones_like(value)[()]
    return (reverse_recorded if nested else reverse)(tape, result.index, one, start)


def derivatives(entered: Any, cts: list[Any], nested: bool) -> Any:
    """The derivatives by each recorded input in a structure, in the same structure."""
    if type(entered) is list:
        if are_floats(entered):
            slopes = cts[entered[0].index : entered[-1].index + 1]
            return slopes + [UNTOUCHED] * (len(entered) - len(slopes))
        return [
            cts[leaf.index] if type(leaf) is Scalar and leaf.index < len(cts) else derivatives(leaf, cts, nested)
            for leaf in entered
        ]
    if is_recorded(entered):
        return derivative(entered, cts, nested)
    return map_leaves(lambda leaf: derivative(leaf, cts, nested), entered)


def derivative(leaf: Value, cts: list[Any], nested: bool) -> Any:
    """The derivative by one recorded input, in its shape and dtype; zero if the result does not depend on it."""
    ct = cts[leaf.index] if leaf.index < len(cts) else UNTOUCHED
    value = leaf._value
    if type(leaf) is Scalar:
        return ct
    if type(leaf) is Complex:
        return 0j if ct is UNTOUCHED else as_python(conjugated(ct))
    if ct is UNTOUCHED:
        return np.zeros_like(value)[()]
    if leaf.tape.has_complex:
        ct = conjugated(ct)
    if nested or not devices.is_array(value):
        return ct[()] if type(ct) is np.ndarray and not nested else ct  # a number is not a 0-d array
    return ct if is_alone(cts, leaf.index) else owned_copy(ct)


@library_call
def trace(f: Callable[..., Any], *arguments: Any, names: bool = True) -> Trace:
    """Record one run of `f` with every argument as an input.

    Args:
        f: a plain Python function with any result.
        arguments: numbers, arrays, and lists, tuples and dicts of them.
        names: also record the user's variable names and source lines, which makes the run several times slower.

    Returns:
        The trace, with `.value`, `.nodes`, `.outcomes`, `.findings`, `.sensitivities()` and `.replay(*arguments)`.

    Raises:
        PointError: an argument contains something that is not a number.
        TapeError: the program cannot be followed; the message names the line.
    """
    run = record_trace(f, arguments, names=names, follows=True)
    run.look = _findings
    return run


def _findings(run: Trace) -> list[Any]:
    """The findings of a run whose result is one number; none for other results."""
    if is_structure(run.result) or np.ndim(run.value) != 0:
        return []
    from gradcli.methods.diagnose.dependent_nodes import cut_numbers
    from gradcli.methods.diagnose.run_findings import derivative_findings

    names = names_of(run.function, len(run.inputs))
    cotangents = run.cotangents()
    numbers = [run.value, *(cotangents[index] for index in run.input_indices())]
    point = dict(zip(names, run.arguments, strict=True))
    findings = derivative_findings(run, lambda: run, point, names, finite=all_finite(numbers))
    return [*findings, *cut_numbers(run)]


def limit_of_run(run: Trace) -> LimitBesidePoint | None:
    """The gradient of a run whose result is one number, as a limit; None where every step of the run has a derivative.

    Its `derivative` has the structure of the inputs.
    """
    last = run.result_index()
    if not run.tape.run.singular or last is None:
        return None
    from gradcli.engine.tape.sweeps.masked_reverse import handle
    from gradcli.methods.transforms.limits_beside_point import LimitBesidePoint

    def handle_of(index: int) -> Any:
        return handle(run.tape, index, run.nodes[index].value)

    inputs, result = [map_leaves(handle_of, structure) for structure in run.inputs], handle_of(last)
    limit = LimitBesidePoint(run.tape, inputs, result, _swept_gradient(run.tape, inputs, result), _swept_gradient)
    return limit if limit.steps else None


def stop_gradient(x: Any) -> Any:
    """`x` as a constant, in the same structure: arrays are copies. No derivative flows through it."""
    return map_leaves(lambda leaf: leaf.stopped() if hasattr(type(leaf), "stopped") else devices.copied(leaf), x)
