"""Engines of differentiation: the value and the gradient of one NumPy program by gradcli and by other libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gradcli.errors import UsageError
from gradcli.methods.adapters.array_namespaces import Namespace, computing_with
from gradcli.methods.numerics import differences
from gradcli.methods.numerics.coordinates import arguments_with_number, coordinates
from gradcli.methods.transforms.gradients import value_and_grad
from gradcli.shared.pytree import leaves, map_leaves

Function = Callable[..., Any]


class EngineResult(NamedTuple):
    """The value, the slope by each number in order, and bounds on their errors beyond rounding."""

    value: float
    slopes: list[float]
    errors: list[float]


class EngineProgram(NamedTuple):
    """A program at a point, ready to be called by an engine.

    Attributes:
        call: computes the value and the gradient, and returns when both are there.
        result: the numbers of what `call` returned.
        note: what a reader of its times has to know.
    """

    call: Callable[[], Any]
    result: Callable[[Any], EngineResult]
    note: str = ""


class PlainProgram(NamedTuple):
    """A function with its arguments by name, and the names of those to differentiate by."""

    function: Function
    point: dict[str, Any]
    wanted: Sequence[str]

    @property
    def arguments(self) -> list[Any]:
        """The arguments to differentiate by."""
        return [self.point[name] for name in self.wanted]

    @property
    def argnums(self) -> tuple[int, ...]:
        """Their positions in `of_wanted`."""
        return tuple(range(len(self.wanted)))

    def of_wanted(self, function: Function) -> Function:
        """A function of these arguments alone."""

        def of_wanted(*arguments: Any) -> Any:
            return function(*{**self.point, **dict(zip(self.wanted, arguments, strict=True))}.values())

        return of_wanted

    def by(self, namespace: Namespace) -> Function:
        """The function of these arguments, computed by another library."""
        return self.of_wanted(computing_with(namespace, self.function))


def library(engine: str) -> Any:
    """The library of an engine.

    Raises:
        UsageError: it is not installed.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow tells of its kernels while it is imported
    try:
        return import_module(engine)
    except ImportError:
        raise UsageError(f"{engine} is not installed", hint="pip install 'gradcli[adapters]'") from None


def _gradcli(program: PlainProgram) -> EngineProgram:
    derivative = value_and_grad(program.of_wanted(program.function), program.argnums)
    return EngineProgram(lambda: derivative(*program.arguments), _plain)


def _plain(returned: tuple[Any, Any]) -> EngineResult:
    """The numbers of a value and a structure of slopes."""
    slopes = [x for slope in leaves(returned[1]) for x in np.ravel(slope).tolist()]
    return EngineResult(float(returned[0]), slopes, [0.0] * len(slopes))


def _autograd(program: PlainProgram) -> EngineProgram:
    autograd = library("autograd")
    function = program.by(Namespace("autograd", import_module("autograd.numpy")))
    derivative = autograd.value_and_grad(function, program.argnums)
    return EngineProgram(lambda: derivative(*program.arguments), _plain)


def _jax(program: PlainProgram) -> EngineProgram:
    jax = library("jax")
    double = jax.enable_x64 if hasattr(jax, "enable_x64") else import_module("jax.experimental").enable_x64
    function = program.by(Namespace("JAX", import_module("jax.numpy")))
    derivative = jax.value_and_grad(function, program.argnums)
    compiled, note = jax.jit(derivative), "compiled by jax.jit"
    with double(True):
        given = map_leaves(jax.numpy.asarray, program.arguments)
        try:
            jax.eval_shape(derivative, *given)
        except jax.errors.JAXTypeError:  # the program asks for numbers, as in a branch
            compiled, note = derivative, "not compiled, as the program asks for numbers"

    def call() -> Any:
        with double(True):
            return jax.block_until_ready(compiled(*given))

    return EngineProgram(call, _plain, note)


def _torch(program: PlainProgram) -> EngineProgram:
    torch = library("torch")

    def tensor_of(x: Any, dtype: Any = torch.float64) -> Any:
        if isinstance(x, (list, tuple)):
            return torch.stack([tensor_of(item) for item in x])
        return x if torch.is_tensor(x) else torch.as_tensor(x, dtype=dtype)

    own = {"array": tensor_of, "asarray": tensor_of, "power": torch.pow, "pi": np.pi, "e": np.e}
    function = program.by(_TensorNames("PyTorch", torch, own, torch.as_tensor))
    given = map_leaves(lambda x: torch.tensor(x, dtype=_dtype(torch, x), requires_grad=True), program.arguments)
    variables = leaves(given)

    def call() -> Any:
        value = function(*given)
        slopes = torch.autograd.grad(value, variables, allow_unused=True)
        return value.detach(), [torch.zeros_like(x) if s is None else s for s, x in zip(slopes, variables, strict=True)]

    return EngineProgram(call, _plain)


def _dtype(library: Any, x: Any) -> Any:
    return getattr(library, str(np.asarray(x).dtype))


class _TensorNames(Namespace):
    """PyTorch's functions, which take Python's numbers in place of tensors too."""

    def __getattr__(self, name: str) -> Any:
        function = super().__getattr__(name)
        if isinstance(function, ModuleType):
            return _TensorNames(self.library, function)
        return _taking_numbers(function) if callable(function) and not isinstance(function, type) else function


def _taking_numbers(function: Function) -> Function:
    """A function of tensors that takes Python's numbers too."""

    def taking_numbers(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            torch = library("torch")
            numbers = (torch.as_tensor(x, dtype=torch.float64) if isinstance(x, (int, float)) else x for x in arguments)
            return function(*numbers, **options)

    return taking_numbers


def _tensorflow(program: PlainProgram) -> EngineProgram:
    tf = library("tensorflow")
    numpy = import_module("tensorflow.experimental.numpy")
    numpy.experimental_enable_numpy_behavior()
    function = program.by(Namespace("TensorFlow", numpy, {"linalg": tf.linalg}, tf.constant))
    given = map_leaves(lambda x: tf.constant(x, _dtype(tf, x)), program.arguments)
    variables = leaves(given)

    def call() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(variables)
            value = function(*given)
        slopes = tape.gradient(value, variables, unconnected_gradients="zero")
        return value.numpy(), [tf.convert_to_tensor(slope).numpy() for slope in slopes]

    return EngineProgram(call, _plain)


def _differences(program: PlainProgram) -> EngineProgram:
    parts = coordinates(program.point, program.wanted)

    def slope(part: Any) -> Any:
        def moved(x: float) -> float:
            return float(program.function(*arguments_with_number(program.point, part, x)))

        return differences.slope(moved, part.value, float(np.finfo(np.asarray(part.value).dtype).eps))

    def result(returned: Any) -> EngineResult:
        return EngineResult(returned[0], [x.value for x in returned[1]], [x.error for x in returned[1]])

    return EngineProgram(lambda: (float(program.function(*program.point.values())), [*map(slope, parts)]), result)


ENGINES: dict[str, Callable[[PlainProgram], EngineProgram]] = {
    "gradcli": _gradcli,
    "torch": _torch,
    "jax": _jax,
    "autograd": _autograd,
    "tensorflow": _tensorflow,
    "differences": _differences,
}
"""The engines by the names that users type."""
