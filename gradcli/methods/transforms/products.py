"""Products with derivatives, with JAX's signatures: vjp, jvp, hvp, elementwise_grad."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.patching import name_replacement
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.recorded_run import Run, run, unwrapped
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.sweeps.recorded_forward import forward_recorded
from gradcli.engine.tape.sweeps.reverse_and_forward import forward, reverse, reverse_recorded
from gradcli.engine.tape.tape import Tape, active_tape, foreign
from gradcli.engine.tape.value import Value, is_recorded, plain_value, record, row_indices
from gradcli.engine.tape.values.complex import Complex
from gradcli.engine.tape.values.labelled_arrays import has_labels, with_labels
from gradcli.errors import PointError
from gradcli.mathematics.rules.complex_parts import conjugated
from gradcli.mathematics.rules.shape import CAST
from gradcli.methods.transforms.argnums import Argnums
from gradcli.methods.transforms.derivative_warnings import Derivative, is_zero, may_have_findings, warn
from gradcli.methods.transforms.gradients import derivative, grad, taken_apart
from gradcli.methods.transforms.picklable_derivative import DerivativeFunction
from gradcli.methods.transforms.public_functions import library_call
from gradcli.methods.transforms.scalar_results import check_results, result_description
from gradcli.shared import devices
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import all_finite, leaves, leaves_like, map_leaves


@library_call
def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value of `f` at `primals`, and its pullback: a function from cotangents of the value to cotangents of
    `primals`.

    Args:
        f: a plain Python function that returns a number, an array, or a structure of them.
        primals: numbers, arrays, and structures of them; all are differentiated by.
        has_aux: `f` returns a pair; its second element is returned too.

    Returns:
        `(value, pullback)`, or `(value, pullback, aux)`. `pullback(cotangent)` takes the structure of the value and
        returns a tuple with one structure per primal. It may be called any number of times, at the cost of one reverse
        sweep each. For complex numbers it is the adjoint, which preserves Re(conj(cotangent) * tangent).

    Raises:
        PointError: a cotangent does not have the shape of the value.
        ResultError: `f` returns something other than numbers and arrays.
    """
    call, outer = BoundCall.of_inputs(f, primals), active_tape()
    done, aux = _finished_run(call, outer, has_aux)
    value = done[3] if outer is not None else map_leaves(plain_value, done[3])
    pullback = _pullback_of(call, outer, done, has_aux)
    return (value, pullback, aux) if has_aux else (value, pullback)


def _finished_run(call: BoundCall, outer: Tape | None, has_aux: bool) -> tuple[Run, Any]:
    """A run whose result is checked, and the aux that the function returned; None without one."""
    tape, start, entered, result = run(call, outer, lasting=True)
    aux = None
    if has_aux:
        result, aux = taken_apart(call.function, result, outer is not None)
    result = unwrapped(call.function, result)
    check_results(call.function, result)
    if outer is not None:
        tape.run.gradients += 1
    return (tape, start, entered, result), aux


def _pullback_of(call: BoundCall, outer: Tape | None, done: Run, has_aux: bool) -> Callable[[Any], tuple[Any, ...]]:
    """The function from cotangents of a run's result to those of its inputs."""
    tape, start, entered, result = done

    @library_call
    def pullback(cotangent: Any) -> tuple[Any, ...]:
        nested = active_tape() is not None
        sweeps = [_pull(tape, start, leaf, ct, nested) for leaf, ct in _paired(result, cotangent)]
        products = tuple(map_leaves(lambda leaf: _summed(leaf, sweeps, nested), item) for item in entered)
        if not nested and outer is None and tape.run.singular:
            from gradcli.methods.transforms.limits_beside_point import settled

            products = tuple(settled(call, tape, (entered, result), products, partial(_pulled_back, cotangent)))
        if not nested and outer is None and may_have_findings(tape, (), products) and all_finite(cotangent):
            warn(Derivative(call, tape, start, entered, result, (), products, has_aux, cotangent=cotangent))
        return products if call.given is call.arguments else tuple(call.with_labels(products))

    return pullback


def _pulled_back(cotangent: Any, tape: Tape, entered: Any, result: Any) -> tuple[Any, ...]:
    """The cotangents of the inputs of a run, as plain numbers."""
    sweeps = [_pull(tape, 0, leaf, ct, nested=False) for leaf, ct in _paired(result, cotangent)]
    return tuple(map_leaves(lambda leaf: _summed(leaf, sweeps, nested=False), item) for item in entered)


def _paired(result: Any, cotangent: Any, names: tuple[str, str] = ("cotangent", "value")) -> list[tuple[Any, Any]]:
    """Each leaf of the result with its cotangent. `names` are used in the message if the shapes differ."""
    values, cotangents = leaves(result), leaves_like(result, cotangent)
    if cotangents is None or list(map(_shape, cotangents)) != list(map(_shape, values)):
        came, needed = _shapes(cotangent), _shapes(result)
        raise PointError(f"the {names[0]} has the shape {came}; the {names[1]} has {needed}")
    return list(zip(values, cotangents, strict=True))


def _shape(leaf: Any) -> tuple[int, ...]:
    return () if type(leaf) is float else np.shape(plain_value(leaf))


def _shapes(structure: Any) -> str:
    """The shape of a number or array, or the shapes in a structure, as text."""
    shapes = map_leaves(_shape, structure)
    return ", ".join(map(str, shapes)) if type(structure) is tuple and structure else str(shapes)


def _pull(tape: Tape, start: int, result: Any, cotangent: Any, nested: bool) -> list[Any]:
    if not is_recorded(result) or result.index < start:
        return []
    if result.tape is not tape:
        foreign()
    seed = (_recorded_like if is_recorded(cotangent) else _like)(cotangent, result._value)
    return (reverse_recorded if nested else reverse)(tape, result.index, conjugated(seed), start)


def _recorded_like(cotangent: Value, value: Any) -> Any:
    """A recorded cotangent in the dtype of a value, because array rules do not accept Python numbers."""
    _check_kind(cotangent._value, value)
    if type(value) is float or getattr(cotangent, "dtype", None) == value.dtype:
        return cotangent
    return record(CAST, (cotangent,), {"dtype": value.dtype})


def _like(plain: Any, value: Any) -> Any:
    """A plain cotangent or tangent in the type and dtype of a value."""
    if type(plain) is type(value) is float:
        return plain
    _check_kind(plain, value)
    if type(value) is float:
        return float(plain)
    if devices.on_device(value):
        return devices.on_gpu(plain).astype(value.dtype)
    return np.asarray(plain, dtype=value.dtype)[()]


def _check_kind(plain: Any, value: Any) -> None:
    """Check that a cotangent or tangent has numbers of a kind that the value allows.

    Raises:
        PointError: it does not.
    """
    kinds = "fiubc" if type(value) is complex or getattr(value, "dtype", np.dtype(float)).kind == "c" else "fiub"
    if not devices.on_device(plain) and (came := np.asarray(plain).dtype).kind not in kinds:
        needed = "complex or real" if "c" in kinds else "real"
        raise PointError(f"a cotangent or tangent has dtype {came}; it must be {needed}")


def _summed(leaf: Value, rows: list[list[Any]], nested: bool) -> Any:
    parts = [cts for cts in rows if leaf.index < len(cts) and cts[leaf.index] is not UNTOUCHED]
    if not parts:
        return derivative(leaf, [], nested)
    total = derivative(leaf, parts[0], nested)
    for cts in parts[1:]:
        total = total + derivative(leaf, cts, nested)
    return total


@library_call
def jvp(f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """The value of `f` at `primals`, and its derivative in the direction `tangents`.

    Args:
        f: a plain Python function that returns a number, an array, or a structure of them.
        primals: a tuple or list of the arguments.
        tangents: a tuple or list with the same structures.
        has_aux: `f` returns a pair; its second element is returned too.

    Returns:
        `(value, tangent)`, both in the structure of the value, or `(value, tangent, aux)`.

    Raises:
        PointError: the tangents do not have the shapes of the primals.
        ResultError: `f` returns something other than numbers and arrays.

    The cost is one run and one forward sweep.
    """
    for values in (primals, tangents):
        if not isinstance(values, (tuple, list)):
            hint = "Put the arguments in a tuple, and the tangents too: jvp(f, (2.0,), (1.0,))."
            raise PointError(f"jvp takes a tuple or list of arguments, not {result_description(values)}", hint=hint)
    if len(primals) != len(tangents):
        raise PointError(
            f"jvp takes one tangent per argument: there are {len(primals)} arguments and {len(tangents)} tangents"
        )
    pairs = _paired(tuple(primals), tuple(tangents), ("tangent", "argument"))
    if active_tape() is not None:
        return _recorded_jvp(f, tuple(primals), tuple(tangents), has_aux)
    call = BoundCall.of_inputs(f, primals)
    tape, start, entered, result = run(call, None)
    aux = None
    if has_aux:
        result, aux = taken_apart(f, result, nested=False)
    result = unwrapped(f, result)
    check_results(f, result)
    moves = zip(leaves(entered), pairs, strict=True)
    given = {leaf.index: _like(tangent, leaf._value) for leaf, (_, tangent) in moves}
    value, tangent = map_leaves(plain_value, result), _tangents(given, tape, entered, result)
    if tape.run.singular:
        from gradcli.methods.transforms.limits_beside_point import settled

        tangent = settled(call, tape, (entered, result), tangent, partial(_tangents, given), given)
    if may_have_findings(tape, value, tangent) and all_finite(tangents):
        moving = [x for x in leaves(entered) if not is_zero(given[x.index])]
        warn(Derivative(call, tape, start, moving, result, value, tangent, has_aux, tangents=tuple(tangents)))
    return (value, tangent, aux) if has_aux else (value, tangent)


def _tangents(given: dict[int, Any], tape: Tape, entered: Any, result: Any) -> Any:
    """The tangent of a result for the tangents of the inputs, in its structure."""
    moved = forward(tape, given, row_indices(leaves(result), tape))
    if tape.run.doubted and not tape.has_complex:
        return map_leaves(lambda leaf: _tangent_by_rows(tape, leaf, given), result)
    return map_leaves(lambda leaf: _tangent_of(leaf, moved), result)


def _tangent_of(leaf: Any, moved: list[Any]) -> Any:
    value = plain_value(leaf)
    tangent = moved[leaf.index] if is_recorded(leaf) else 0.0
    if type(leaf) is Complex or type(value) is complex:
        return complex(tangent)
    if isinstance(value, (float, int)) and not isinstance(value, np.generic):
        return np.nan if isinstance(tangent, complex) else float(tangent)  # beside the point of a power, at x < 0
    return devices.broadcast_like(tangent, value).astype(value.dtype)[()]


def _tangent_by_rows(tape: Tape, leaf: Any, given: dict[int, Any]) -> Any:
    """The same by a reverse sweep for each number of a result, which tells what does not move from computed zeros."""
    from gradcli.methods.transforms.jacobians import units

    value = plain_value(leaf)
    if not is_recorded(leaf):
        return _tangent_of(leaf, [])
    sweeps = (reverse(tape, leaf.index, seed) for seed in units(value))
    numbers = [_product(cts, given) for cts in sweeps]
    if devices.on_device(value):
        return np.reshape(np.stack([devices.broadcast_like(x, value.ravel()[0]) for x in numbers]), value.shape)
    return np.broadcast_to(np.reshape(numbers, np.shape(value)), np.shape(value)).astype(np.result_type(value))[()]


def _product(cts: list[Any], given: dict[int, Any]) -> Any:
    """The product of a gradient with the tangents of the inputs, of those numbers that move."""
    pairs = ((cts[index], v) for index, v in given.items() if index < len(cts) and cts[index] is not UNTOUCHED)
    with ignored_float_errors():
        return sum(np.sum(np.where(np.not_equal(v, 0), ct * v, 0.0)) for ct, v in pairs)


def _recorded_jvp(f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool) -> tuple[Any, ...]:
    """The same inside another transform, recorded: by a forward sweep over numbers, else by two reverse sweeps.

    A pullback is linear in its cotangent, and its transpose is the tangent (J. Radul et al., You Only Linearize Once,
    2023, use the same relation in the other direction).
    """
    call, outer = BoundCall.of_inputs(f, primals), active_tape()
    done, aux = _finished_run(call, outer, has_aux)
    value = done[3]
    tangent = _recorded_tangents(done, tangents)
    if tangent is None:
        pullback = _pullback_of(call, outer, done, has_aux)
        _, transpose = vjp(pullback, map_leaves(lambda leaf: _zero(plain_value(leaf)), value))
        tangent = (transpose(tangents)[0],)
    return (value, *tangent, aux) if has_aux else (value, *tangent)


def _recorded_tangents(done: Run, tangents: Any) -> tuple[Any] | None:
    """The tangent of a run's result by a recorded forward sweep; None if the run is not one over numbers alone."""
    tape, start, entered, result = done
    moves = {leaf.index: tangent for leaf, tangent in _paired(tuple(entered), tangents, ("tangent", "argument"))}
    if not all(type(plain_value(x)) is float for x in (*leaves(entered), *moves.values(), *leaves(result))):
        return None
    last = max(row_indices(leaves(result), tape), default=-1)
    moved = forward_recorded(tape, {at: t for at, t in moves.items() if is_recorded(t) or t}, start, last)
    if moved is None:
        return None
    return (map_leaves(lambda leaf: moved.get(leaf.index, 0.0) if is_recorded(leaf) else 0.0, result),)


def _zero(value: Any) -> Any:
    """A zero cotangent of the type of a value."""
    return np.zeros_like(value)[()] if hasattr(type(value), "dtype") else 0j if type(value) is complex else 0.0


def hvp(f: Callable[..., Any]) -> Callable[..., Any]:
    """The product of the Hessian of `f` as from `gradcli.hvp`, recorded at each call, as a function."""

    def product(x: Any, v: Any) -> Any:
        along = jvp(grad(f), (x,), (v,))[1]
        return with_labels(along, x) if has_labels((x,)) else along

    return DerivativeFunction(lambda x, options: product(*x, **options), f, functools.partial(hvp, f))


@library_call
def elementwise_grad(f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The derivative of each element of the result by the same element of the argument, for an elementwise `f`.

    It is the gradient of the sum of the result, from one reverse sweep. It is meaningful only if element n of the
    result depends on element n of the argument alone.
    """
    create = functools.partial(elementwise_grad, f, argnums)
    f = name_replacement.function_to_run(f)

    @functools.wraps(f, updated=())
    def total(*arguments: Any, **options: Any) -> Any:
        return np.sum(f(*arguments, **options))

    of_sum = grad(total, argnums)
    return DerivativeFunction(lambda x, options: of_sum(*x, **options), f, create)
