"""What the test of a device computes there and on the host: rules, functions of NumPy and SciPy, and the examples."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gradcli.answers.selftest.array_forms import FORMS, METHODS, OF_MATRICES, is_of_two, program, programs
from gradcli.answers.selftest.array_programs import PROGRAMS
from gradcli.answers.selftest.elementwise_mutants import points
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.frozen_record import Frozen

EXAMPLES = {
    "rosenbrock.py:rosen": ((5,),),
    "logistic.py:loss": ((2,), ()),
    "softmax.py:loss": ((2, 3), (3,)),
    "perceptron.py:error": ((3, 2), (3,), (1, 3), (1,)),
}
MOST_POINTS = 6  # of an elementwise rule
STRIDED, CONTIGUOUS = "strided", "contiguous"


class DeviceCase(Frozen, eq=False):
    """A program of arrays with its point.

    Attributes:
        group: the row of the table in which the case is counted.
        name: the program, with the dtype and layout of its arrays.
        make: returns the program; raises ImportError if a package that it needs is missing.
        arrays: the point.
    """

    group: str
    name: str
    make: Callable[[], Callable[..., Any]]
    arrays: tuple[Any, ...]


def cases() -> Iterator[DeviceCase]:
    """Every case: float64 contiguous, float64 strided, and float32."""
    yield from _of_elementwise_rules()
    for name, (array_program, at) in PROGRAMS.items():
        yield from _in_all_kinds("array rules", name, partial(_itself, array_program), (at,))
    pair = (_numbers((2, 3)), _numbers((3,)) + 0.1)
    matrix = (_numbers((3, 3)) + np.diag([1.0, 2.0, 3.0]),)
    for text in programs(FORMS):
        group = "SciPy's special functions" if "special." in text else "NumPy's functions"
        yield from _in_all_kinds(group, text, _maker(text), pair if is_of_two(text) else pair[:1])
    for text in programs(OF_MATRICES):
        yield from _in_all_kinds("functions of matrices", text, _maker(text), matrix)
    for text in METHODS:
        yield from _in_all_kinds("methods of arrays", text, _maker(text), pair[:1])
    yield from _of_examples()


def _of_elementwise_rules() -> Iterator[DeviceCase]:
    for rule in RULES.values():
        if isinstance(rule, Elementwise) and (sample := points(rule)[:MOST_POINTS]):
            columns = [np.array(column) for column in zip(*sample, strict=True)]
            moving = [n for n, partial in enumerate(rule.partials) if partial is not None]
            arrays = tuple(columns[n] for n in moving)
            yield from _in_all_kinds("elementwise rules", rule.name, _of_moving(rule, columns, moving), arrays)


def _of_moving(rule: Elementwise, columns: list[Any], moving: list[int]) -> Callable[[], Callable[..., Any]]:
    """A rule as a program of the arguments that it is differentiated by."""

    def f(*arrays: Any) -> Any:
        given = dict(zip(moving, arrays, strict=True))
        return rule(*(given.get(n, column) for n, column in enumerate(columns)))

    return partial(_itself, f)


def _itself(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


def _in_all_kinds(
    group: str, name: str, make: Callable[[], Callable[..., Any]], arrays: tuple[Any, ...]
) -> Iterator[DeviceCase]:
    for dtype, layout in (("float64", CONTIGUOUS), ("float64", STRIDED), ("float32", CONTIGUOUS)):
        laid_out = tuple(_strided(x) if layout == STRIDED else x.astype(dtype) for x in arrays)
        yield DeviceCase(group, f"{name}, {dtype}, {layout}", make, laid_out)


def _maker(text: str) -> Callable[[], Callable[..., Any]]:
    def make() -> Callable[..., Any]:
        f = program(text)

        def of_one(x: Any) -> Any:
            return f(x)

        return f if is_of_two(text) else of_one

    return make


def _numbers(shape: tuple[int, ...]) -> Any:
    """Distinct numbers between 0.5 and 2."""
    size = int(np.prod(shape))
    return np.random.default_rng(size).permutation(np.linspace(0.5, 2.0, size + 2)[1:-1]).reshape(shape)


def _strided(x: Any) -> Any:
    """The same numbers, every second one of a larger array."""
    every_second = (slice(None, None, 2),) * x.ndim
    spread = np.full([2 * n for n in x.shape], np.nan)
    spread[every_second] = x
    return spread[every_second]


def _of_examples() -> Iterator[DeviceCase]:
    """The examples on arrays, in the folder beside the package; none where it was installed without them."""
    folder = Path(__file__).parents[3] / "examples"
    for target, shapes in EXAMPLES.items():
        file, _, function = target.partition(":")
        if (path := folder / file).exists():
            yield from _in_all_kinds("examples", target, partial(_loaded, path, function), tuple(map(_numbers, shapes)))


def _loaded(path: Path, function: str) -> Callable[..., Any]:
    specification = importlib.util.spec_from_file_location(f"gradcli_example_{path.stem}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    loaded: Callable[..., Any] = getattr(module, function)
    return loaded
