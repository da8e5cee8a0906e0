"""The public transforms: eager, or compiled, for which the rest is imported when it is asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gradcli.errors import UsageError
from gradcli.methods.transforms import gradients
from gradcli.methods.transforms.argnums import Argnums, checked_argnums
from gradcli.methods.transforms.public_functions import library_call

if TYPE_CHECKING:
    from gradcli.answers.compilation.compiled_transform import Transform


@library_call
def grad(
    f: Callable[..., Any] | str, argnums: Argnums = 0, has_aux: bool = False, *, compile: bool = False,
    points: Argnums | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The gradient of `f` by the arguments `argnums`, as a function of the same arguments.

    Args:
        f: a plain Python function that returns one real number; or a target as text, such as "x**2 * sin(y)", which
            means what it means at the prompt. The arguments of a formula are its names, in order of appearance.
        argnums: the arguments to differentiate by: a position, counted from 0 (default) or from the end, or a name; a
            tuple gives a tuple of gradients. Other keyword arguments are passed on unchanged.
        has_aux: `f` returns a pair; its second element, of any type, is returned beside the gradient.
        compile: derive a program at the first call, and run it at later calls with the same types, shapes and layouts.
            Results are those of the eager gradient within rounding, and warnings and errors are the same; `.report()`
            says what runs.
        points: the arguments, by position or name, that have a leading axis of points: arrays of shape `(n, …)`, or
            structures of such arrays. The function receives one point of each, a number as a float, and the result has
            the axis in front of each array. Where recorded runs would take over a second, or with `compile`, a program
            is derived, with the same results.

    Returns:
        A function whose result has the structure of the argument: a float for a number, an array of the same shape and
        dtype for an array, and a list, tuple, dict or dataclass of these for such a structure, in which None stays
        None. For a complex number it is df/dRe + i df/dIm. Its units are those of the result divided by those of the
        argument. With `has_aux` it is the pair `(gradient, aux)`, where `aux` contains no recorded value.

    Raises:
        UsageError: `argnums` or `points` is not valid, or `points` and `has_aux` are given.
        ResultError: `f` does not return one number, or with `has_aux` a pair.
        GradcliError: a text is no target, or its file cannot be loaded.
        PointError: an argument to differentiate by is missing, or contains something that is not a number; or the axes
            of points are missing, empty or of different lengths.
        TapeError: the program cannot be followed; the message names the line.

    The program is recorded at each call that is not compiled. The gradient is exact up to rounding; the cost is a small
    multiple of that of `f`, whatever the number of arguments (Speelpenning, 1980).
    """
    if isinstance(f, str):
        f = _function(f)
    if not compile and points is None:
        return gradients.grad(f, argnums, has_aux)
    create = functools.partial(grad, f, argnums, has_aux, compile=compile, points=points)
    return _derived(f, _transform("gradient", argnums, has_aux), points, create)


@library_call
def value_and_grad(
    f: Callable[..., Any] | str, argnums: Argnums = 0, has_aux: bool = False, *, compile: bool = False,
    points: Argnums | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The value of `f` and its gradient, from one run; arguments, results and errors are those of `grad`.

    With `has_aux` the result is `((value, aux), gradient)`.
    """
    if isinstance(f, str):
        f = _function(f)
    if not compile and points is None:
        return gradients.value_and_grad(f, argnums, has_aux)
    create = functools.partial(value_and_grad, f, argnums, has_aux, compile=compile, points=points)
    return _derived(f, _transform("gradient", argnums, has_aux, with_value=True), points, create)


@library_call
def jacobian(  # noqa: PLR0913 - each says one thing about the derivative
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, with_value: bool = False,
    sparse: bool = False, compile: bool = False, points: Argnums | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The Jacobian of `f`, all partial derivatives of all results, as a function of the same arguments.

    Args:
        f: a plain Python function that returns a number, an array, or a structure of them.
        argnums: the arguments to differentiate by, as for `grad`; a tuple gives a tuple of Jacobians.
        has_aux: `f` returns a pair; its second element is returned beside the Jacobian: `(jacobian, aux)`.
        with_value: return the pair of value and Jacobian; with `has_aux` it is `((value, aux), jacobian)`.
        sparse: give the Jacobian by each argument as one `scipy.sparse.csr_array` of what may differ from 0, with
            a row per element of the result and a column per element of the argument, in order.
        compile: run a derived program at later calls, as `grad` does.
        points: the arguments that have a leading axis of points, as for `grad`.

    Returns:
        A function whose result has the structure of the result of `f`. In place of each number or array of shape `out`
        it has the structure of the argument, with arrays of shape `out + in`.

    Raises:
        UsageError: the Jacobian does not fit in the available memory, or `sparse` and `points` are given.
        ResultError: `f` returns something other than numbers, or complex numbers for complex arguments.
        UnsupportedError: `sparse` without SciPy, for a Jacobian that is not sparse, on a device,
            or inside another transform.

    The cost is one reverse sweep per element of the result or, if that is less, one forward sweep per element of the
    arguments. With `sparse` it is a forward sweep per colour of the columns (those of one colour share no row) or, if
    those are fewer, a reverse sweep per colour of the rows; the pattern is found once for each path of the program. One
    more product confirms the pattern at each call. With `compile` too, the sweeps are runs of the derived program, and
    a call at which the pattern has more entries is eager, after which the program computes these too.
    """
    if not compile and points is None:
        from gradcli.methods.transforms.jacobians import jacobian as recorded

        return recorded(f, argnums, has_aux, with_value=with_value, sparse=sparse)
    _refuse_sparse_points(sparse, points)
    create = functools.partial(
        jacobian, f, argnums, has_aux, with_value=with_value, sparse=sparse, compile=compile, points=points
    )
    return _derived(f, _transform("jacobian", argnums, has_aux, with_value=with_value, sparse=sparse), points, create)


@library_call
def hessian(
    f: Callable[..., Any], argnums: Argnums = 0, *, sparse: bool = False, compile: bool = False,
    points: Argnums | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The Hessian of `f`, all second derivatives by one argument, as a function of the same arguments.

    Args:
        f: a plain Python function that returns one real number.
        argnums: the arguments to differentiate by, as for `grad`.
        sparse: give a `scipy.sparse.csr_array`, as `jacobian` does, from a few sweeps.
        compile: run a derived program at later calls, as `grad` does.
        points: the arguments that have a leading axis of points, as for `grad`.

    Returns:
        A function whose result is a number for a number, an array of shape `s + s` for an array of shape `s`, and a
        structure of structures for a structure.

    Raises:
        UsageError: the Hessian does not fit in the available memory (see `hvp`), or `sparse` is given with `points`.

    The cost is one sweep over the gradient's tape per element of the argument.
    """
    if not compile and points is None:
        from gradcli.methods.transforms.jacobians import hessian as recorded

        return recorded(f, argnums, sparse=sparse)
    _refuse_sparse_points(sparse, points)
    create = functools.partial(hessian, f, argnums, sparse=sparse, compile=compile, points=points)
    return _derived(f, _transform("hessian", argnums, sparse=sparse), points, create)


def _refuse_sparse_points(sparse: bool, points: Argnums | None) -> None:
    if sparse and points is not None:
        message = "A sparse derivative is of one point."
        raise UsageError(message, hint="Leave out points=, or sparse=True for the whole matrices.")


@library_call
def hvp(
    f: Callable[..., Any], x: Any = None, v: Any = None, *, compile: bool = False, points: Argnums | None = None
) -> Any:
    """The product of the Hessian of `f` at `x` with `v`, in the structure of `x`.

    Args:
        f: a plain Python function of one argument that returns one number.
        x: a number, an array, or a structure of them. Without `x` and `v`, the product is returned as a function of
            both.
        v: the direction, in the structure of `x`.
        compile: return a function of `x` and `v` that runs a derived program at later calls, as `grad` does.
        points: 0, 1 or (0, 1) if `x`, `v` or both have a leading axis of points, as for `grad`.

    Raises:
        UsageError: one of `x` and `v` is missing, or they are given with `compile`.

    It is a forward sweep over the gradient's tape. The cost is a small multiple of that of `f`, whatever the number of
    arguments (Pearlmutter, 1994).
    """
    if compile or points is not None:
        product = _derived(f, _transform("hvp"), points, functools.partial(hvp, f, compile=compile, points=points))
    else:
        from gradcli.methods.transforms.products import hvp as recorded

        product = recorded(f)
    if x is None and v is None:
        return product
    if compile or x is None or v is None:
        message = "hvp needs both a point and a direction; a compiled product takes them when it is called."
        raise UsageError(message, hint="Type hvp(f, x, v), or product = hvp(f, compile=True) and then product(x, v).")
    return product(x, v)


def _function(text: str) -> Callable[..., Any]:
    """The function that a text names, or that of a formula."""
    from gradcli.answers.targets import resolve

    target = resolve(text)
    return target.function if target.tree is None else FormulaFunction(text, target.function, target.names)


class FormulaFunction:
    """The function of a formula, with its names as arguments, in order of appearance; pickled as its text."""

    def __init__(self, text: str, function: Any, names: Iterable[str]) -> None:
        from inspect import Parameter, Signature

        self.__name__ = text
        self.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])
        self.formula = function

    def __call__(self, *values: Any, **named: Any) -> Any:
        """The value of the formula.

        Raises:
            TypeError: an argument is missing, or not a name of the formula.
        """
        return self.formula(*self.__signature__.bind(*values, **named).args)

    def __reduce__(self) -> Any:
        return _function, (self.__name__,)


def _transform(kind: Any, argnums: Argnums = 0, has_aux: bool = False, **options: bool) -> Transform:
    from gradcli.answers.compilation.compiled_transform import Transform

    return Transform(kind, checked_argnums(argnums), has_aux, **options)


def _derived(
    f: Callable[..., Any], transform: Transform, points: Argnums | None, create: functools.partial[Any]
) -> Callable[..., Any]:
    """A transform that runs derived programs: at one point, or at each of many."""
    if points is None:
        from gradcli.answers.compilation.compiled_derivative import CompiledDerivative

        return CompiledDerivative(f, transform, create)
    from gradcli.answers.compilation.derivative_at_points import DerivativeAtPoints

    return DerivativeAtPoints(f, transform, points, create)
