"""Jacobians, the partial derivatives of all results, and Hessians, the second derivatives."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.patching import name_replacement
from gradcli.engine.running.bound_call import BoundCall, name_of
from gradcli.engine.running.recorded_run import run, unwrapped
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.sweeps.batched_reverse import reverse_together
from gradcli.engine.tape.sweeps.reverse_and_forward import forward, reverse, reverse_each, reverse_recorded
from gradcli.engine.tape.tape import Tape, active_tape, foreign
from gradcli.engine.tape.value import Value, is_recorded, plain_value, row_indices
from gradcli.errors import ResultError, UnsupportedError
from gradcli.mathematics.rules.complex_rules import is_complex
from gradcli.methods.transforms.argnums import Argnums, bound_call, checked_argnums
from gradcli.methods.transforms.derivative_warnings import Derivative, may_have_findings, warn
from gradcli.methods.transforms.gradients import derivative, derivatives, gradient_for, taken_apart
from gradcli.methods.transforms.picklable_derivative import DerivativeFunction
from gradcli.methods.transforms.scalar_results import check_results
from gradcli.shared import devices, memory_limit
from gradcli.shared.pytree import leaves, map_leaves

FORWARD = 3  # the cost of a forward sweep relative to a reverse one, by its NumPy calls


def jacobian(
    f: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    with_value: bool = False,
    sparse: bool = False,
) -> Callable[..., Any]:
    """The Jacobian of `f` as from `gradcli.jacobian`, recorded at each call."""
    create = functools.partial(jacobian, f, argnums, has_aux, with_value=with_value, sparse=sparse)
    f, argnums = name_replacement.function_to_run(f), checked_argnums(argnums)
    known: dict[Any, Any] = {}  # the sparsity pattern of the last program

    def jacobian_of_f(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        outer = active_tape()
        call = bound_call(f, argnums, arguments, options)
        tape, start, inputs, result = run(call, outer)
        result, aux = taken_apart(f, result, outer is not None) if has_aux else (result, None)
        result = unwrapped(f, result)
        check_results(f, result)
        refuse_complex_by_complex(f, result, inputs)
        if outer is not None:
            if sparse:
                raise UnsupportedError("a sparse Jacobian has no derivative", hint="Leave out sparse=True there.")
            blocks, value = _recorded(tape, start, inputs, result), result
        else:
            blocks = _sparse(call, tape, inputs, result, known) if sparse else _dense(call, tape, inputs, result)
            value = map_leaves(plain_value, result)
            seen = value if with_value or not tape.run.singular else ()  # no gradient at a kink whose slope is a limit
            numbers = [block.data for block in blocks] if sparse else blocks
            _warn(Derivative(call, tape, start, inputs, result, seen, numbers, has_aux))
        derivative = tuple(blocks) if isinstance(argnums, tuple) else blocks[0]
        if with_value:
            return ((value, aux) if has_aux else value), derivative
        return (derivative, aux) if has_aux else derivative

    return DerivativeFunction(jacobian_of_f, f, create)


def _warn(derivative: Derivative) -> None:
    """Warn of what there is to say of a derivative, and close its tape."""
    if may_have_findings(derivative.tape, derivative.value, derivative.derivative):
        warn(derivative)
    derivative.tape.close()


def refuse_complex_by_complex(f: Callable[..., Any], result: Any, entered: Any) -> None:
    """Refuse complex results for complex inputs, which have no unique derivative unless they are holomorphic.

    Raises:
        ResultError: both are complex.
    """
    if any(is_complex(plain_value(leaf)) for leaf in leaves(result)) and any(
        is_complex(leaf._value) for leaf in leaves(entered)
    ):
        raise ResultError(
            f"{name_of(f)} returned complex numbers for complex arguments, which have no unique derivative",
            hint="Take the Jacobian of np.real(...) and that of np.imag(...), or a product with `vjp` or `jvp`.",
        )


def refuse_large_jacobian(inputs: Any, result: Any) -> None:
    """Refuse a Jacobian that does not fit in the host's memory. A device reports that itself.

    Raises:
        UsageError: it does not fit.
    """
    rows, columns = list(map(plain_value, leaves(result))), list(map(plain_value, leaves(inputs)))
    if any(map(devices.on_device, (*rows, *columns))):
        return
    size = max(getattr(array, "itemsize", 8) for array in (*rows, *columns))
    memory_limit.refuse_large_matrix(sum(map(np.size, rows)), sum(map(np.size, columns)), size)


def _dense(call: BoundCall, tape: Tape, inputs: list[Any], result: Any) -> list[Any]:
    """The Jacobian by each input; where a step has no derivative, the limit of those beside the point."""
    refuse_large_jacobian(inputs, result)
    blocks = _computed(tape, 0, inputs, result)
    if tape.run.singular:
        from gradcli.methods.transforms.limits_beside_point import settled

        blocks = settled(call, tape, (inputs, result), blocks, _computed_of)
    return blocks


def _sparse(call: BoundCall, tape: Tape, inputs: list[Any], result: Any, known: Any) -> list[Any]:
    """The Jacobian by each input as a sparse array, computed densely if its pattern does not tell all."""
    from gradcli.methods.transforms import sparse_jacobians

    sparse_jacobians.refuse_device(leaves(inputs))
    is_dense = tape.run.singular or tape.has_complex  # patterns are of real numbers
    places = [place % len(call.arguments) for place in call.places]
    distinct = dict(zip(places, inputs, strict=True))  # of one that argnums names twice, what the function received
    blocks = None if is_dense else sparse_jacobians.sparse_blocks(tape, [*distinct.values()], result, known)
    if blocks is None:
        return sparse_jacobians.from_dense(inputs, result, _dense(call, tape, inputs, result))
    by_place = dict(zip(distinct, blocks, strict=True))
    return [by_place[place] for place in places]


def _recorded(tape: Tape, start: int, inputs: list[Any], result: Any) -> list[Any]:
    """The Jacobian by each input, recorded inside another transform."""
    refuse_large_jacobian(inputs, result)
    tape.run.gradients += 1
    return [_swept(tape, start, input_, result, nested=True) for input_ in inputs]


def _swept(tape: Tape, start: int, entered: Any, result: Any, nested: bool) -> Any:
    """The Jacobian by one input, with a sweep for each element of the result."""
    return map_leaves(lambda leaf: _rows(tape, start, entered, leaf, nested), result)


def _computed_of(tape: Tape, inputs: list[Any], result: Any) -> list[Any]:
    return _computed(tape, 0, inputs, result)


def _computed(tape: Tape, start: int, inputs: list[Any], result: Any) -> list[Any]:
    """The Jacobian by each input, as plain numbers, in the mode that takes fewer sweeps."""
    arguments, results = leaves(inputs), leaves(result)
    is_tall = not tape.has_complex and _is_tall(arguments, results)
    blocks = _by_columns(tape, arguments, results) if is_tall else None
    if blocks is None and (tape.has_complex or not tape.has_arrays):
        return [_swept(tape, start, input_, result, nested=False) for input_ in inputs]
    blocks = blocks or [_by_rows(tape, start, arguments, result) for result in results]
    by_leaf = {
        (id(leaf), id(argument)): block
        for leaf, row in zip(results, blocks, strict=True)
        for argument, block in zip(arguments, row, strict=True)
    }
    return [map_leaves(functools.partial(_row_of, by_leaf, input_), result) for input_ in inputs]


def _row_of(blocks: dict[tuple[int, int], Any], entered: Any, result: Any) -> Any:
    """The blocks of one leaf of the result, in the structure of one input."""
    return map_leaves(lambda argument: blocks[id(result), id(argument)], entered)


def _is_tall(arguments: list[Any], results: list[Any]) -> bool:
    """Whether the results outnumber the arguments so much that forward sweeps are cheaper."""
    return FORWARD * sum(np.size(x._value) for x in arguments) < sum(np.size(plain_value(v)) for v in results)


def _by_rows(tape: Tape, start: int, arguments: list[Value], result: Any) -> list[Any]:
    """The derivatives of one leaf of the result by each argument, with a reverse sweep per element."""
    if not is_recorded(result) or np.shape(result._value) == ():
        return [_rows(tape, start, leaf, result, nested=False) for leaf in arguments]
    if result.tape is not tape:
        foreign()
    wanted, shape = [leaf.index for leaf in arguments], np.shape(result._value)
    if result.index >= start and type(result._value) is np.ndarray:
        together = reverse_together(tape, result.index, result._value, start, wanted)
        if together is not None:
            return [_block(ct, shape, leaf) for ct, leaf in zip(together, arguments, strict=True)]
    seeds = units(result._value) if result.index >= start else iter(())
    sweeps = reverse_each(tape, result.index, seeds, start, wanted)
    return [_stacked([sweep[n] for sweep in sweeps], np.shape(result._value), leaf) for n, leaf in enumerate(arguments)]


def _block(ct: Any, shape: tuple[int, ...], leaf: Value) -> Any:
    """The derivatives from batched sweeps by one argument, in the shape of result and argument."""
    whole = (*shape, *np.shape(leaf._value))
    return np.zeros(whole, getattr(leaf._value, "dtype", float)) if ct is None else np.array(ct).reshape(whole)


def _by_columns(tape: Tape, arguments: list[Value], results: list[Any]) -> list[list[Any]] | None:
    """The same with a forward sweep per element of the arguments; None if any sweep met a number that is not finite."""
    wanted = row_indices(results, tape)
    columns = [[forward(tape, {x.index: unit}, wanted) for unit in units(x._value)] for x in arguments]
    blocks = [[_column_block(sweeps, x, v) for sweeps, x in zip(columns, arguments, strict=True)] for v in results]
    return None if tape.run.doubted or not all(_is_finite(block) for row in blocks for block in row) else blocks


def _is_finite(block: Any) -> bool:
    return math.isfinite(block) if type(block) is float else bool(np.all(np.isfinite(block)))


def _column_block(sweeps: list[list[Any]], argument: Value, result: Any) -> Any:
    value = plain_value(result)
    if type(value) is type(argument._value) is float:
        return float(sweeps[0][result.index]) if is_recorded(result) else 0.0
    parts = [np.broadcast_to(moved[result.index] if is_recorded(result) else 0.0, np.shape(value)) for moved in sweeps]
    stacked = np.reshape(np.stack(parts, axis=-1) if parts else [], (*np.shape(value), *np.shape(argument._value)))
    return stacked[()] if np.shape(stacked) else float(stacked)


def units(value: Any) -> Iterator[Any]:
    """Yield the unit arrays like `value`, 1 at one index and 0 elsewhere; 1 for a number."""
    if type(value) is float:
        yield 1.0
        return
    for place in np.ndindex(np.shape(value)):
        unit = np.zeros_like(value, shape=np.shape(value))
        unit[place] = 1.0
        yield unit if np.shape(value) else unit[()]


def _rows(tape: Tape, start: int, entered: Any, result: Any, nested: bool) -> Any:
    """The Jacobian of one leaf of the result: its sweeps stacked, for each input."""
    value = plain_value(result)
    shape = np.shape(value)
    sweeps = _sweeps(tape, start, result, nested, 1.0)
    if is_complex(value) and is_recorded(result):
        imaginary = _sweeps(tape, start, result, nested, -1j)
        return map_leaves(
            lambda leaf: _all_rows(leaf, sweeps, shape, nested) + 1j * _all_rows(leaf, imaginary, shape, nested),
            entered,
        )
    if shape == ():
        return derivatives(entered, sweeps[0], nested)
    return map_leaves(lambda leaf: _all_rows(leaf, sweeps, shape, nested), entered)


def _all_rows(leaf: Value, sweeps: list[list[Any]], shape: tuple[int, ...], nested: bool) -> Any:
    parts = [derivative(leaf, cts, nested) for cts in sweeps]
    return parts[0] if shape == () else _stacked(parts, shape, leaf)


def _sweeps(tape: Tape, start: int, result: Any, nested: bool, one: complex) -> list[list[Any]]:
    """The sweeps from each element of a result, with the cotangent `one`: -1j for its imaginary part."""
    places = np.ndindex(np.shape(plain_value(result)))
    return [_sweep_from(tape, start, result, place, nested, one) if is_recorded(result) else [] for place in places]


def _sweep_from(tape: Tape, start: int, result: Value, place: tuple[int, ...], nested: bool, one: complex) -> list[Any]:
    if result.tape is not tape:
        foreign()
    if result.index < start:
        return []
    seed = 1.0 if type(result._value) is float else np.zeros_like(result._value)
    if place:
        seed[place] = one  # type: ignore[index]
    elif type(result._value) is not float:
        seed = (one * np.ones_like(result._value))[()]
    return (reverse_recorded if nested else reverse)(tape, result.index, seed, start)


def _stacked(rows: list[Any], shape: tuple[int, ...], leaf: Value) -> Any:
    """The rows of a result of this shape as one array. A row without cotangent is zero."""
    inner = np.shape(leaf._value)
    rows = [np.zeros_like(leaf._value) if row is UNTOUCHED else row for row in rows]
    return np.reshape(np.stack(rows), (*shape, *inner)) if rows else np.zeros_like(leaf._value, shape=(*shape, *inner))


def hessian(f: Callable[..., Any], argnums: Argnums = 0, *, sparse: bool = False) -> Callable[..., Any]:
    """The Hessian of `f` as from `gradcli.hessian`, recorded at each call."""
    second = jacobian(gradient_for("hessian", f, argnums), argnums, sparse=sparse)
    create = functools.partial(hessian, f, argnums, sparse=sparse)
    return DerivativeFunction(lambda x, options: second(*x, **options), f, create)
