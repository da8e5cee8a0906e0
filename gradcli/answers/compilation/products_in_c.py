"""Products along directions in C: results of any structure are numbers and arrays one after another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.answers.compilation.c_kernels import CKernel, c_kernel
from gradcli.answers.compilation.directional_kernels import JacobianColumns, like
from gradcli.answers.compilation.edge_cases import EdgeCaseError
from gradcli.answers.derivation.languages.python_program import PythonProgram
from gradcli.errors import UnsupportedError
from gradcli.shared.pytree import leaves


class ProductInC:
    """A product along directions in C.

    Args:
        program: the product in Python, of a value or of a value and its gradient.
        compared: the kinds of comparisons that stop at edge cases.
        of_gradient: whether it is of a value and its gradient.

    Raises:
        UnsupportedError: it cannot be written in C, or takes or does what C may do in another way.
        BuildError: there is no library.
    """

    def __init__(self, program: PythonProgram, compared: frozenset[type[ast.cmpop]], *, of_gradient: bool) -> None:
        opened, self._count = in_parts(program)
        arguments = {n: x for n, x in opened.arguments.items() if n in program.given or n not in program.arguments}
        self._built = c_kernel(opened, arguments, compared, float, orders_arrays=of_gradient)
        self._first = self._count + of_gradient  # the first part of the tangent that is wanted

    def along_last(self, example: Any) -> CKernel:
        """The product of a Hessian with a direction, which is like an example."""
        build = like(example)

        def along(*arguments: Any) -> tuple[Any, Any]:
            _, parts = self._built.kernel(*arguments)
            return (), build(parts[self._first :])

        return self._built._replace(kernel=along, at_rows=None, method=None)

    def by_columns(self, blocks: JacobianColumns, value: Any) -> CKernel:
        """The Jacobian, with a value like another one; all columns are computed by one call.

        Raises:
            UnsupportedError: the value holds others than numbers of float64.
        """
        if any(np.asarray(leaf).dtype != np.float64 for leaf in leaves(value)):
            raise UnsupportedError("its value holds other numbers than those of float64")
        built = self._built.at_rows
        build = like(value)
        assert built is not None

        def matrices(arguments: Sequence[Any]) -> tuple[Any, Any, Any]:
            """The status, the parts of the value and the matrix of each row."""
            status, _, parts = built(arguments, blocks.stacked)
            parts = [*np.moveaxis(parts[0], -1, 0)] if len(parts) == 1 else parts  # numbers alone are one array
            tangents = [part.reshape(*status.shape, -1) for part in parts[self._first :]]
            matrix = np.concatenate(tangents, axis=-1).swapaxes(-1, -2)
            return status.any(axis=1), [part[:, 0] for part in parts[: self._count]], matrix

        def jacobian(*arguments: Any) -> tuple[Any, Any]:
            status, parts, matrix = matrices([np.array(x)[None] for x in arguments if not isinstance(x, int)])
            if status.any():
                raise EdgeCaseError
            made = build([part[0] for part in parts]) if value is not None else None
            return made, blocks.of(matrix[0])

        def at_rows(arguments: Sequence[Any]) -> tuple[Any, Any, list[Any]]:
            """The status, the value and the Jacobians of each row."""
            status, parts, matrix = matrices(arguments)
            for numbers in (matrix, *parts):
                status |= ~np.isfinite(numbers).reshape(len(status), -1).all(axis=1)
            status |= ~matrix.any(axis=(1, 2))
            made = blocks.of(matrix)
            values = build(parts, len(status)) if value is not None else None
            return status, values, [*made] if type(made) is tuple else [made]

        return self._built._replace(kernel=jacobian, at_rows=at_rows, method=None)


def in_parts(program: PythonProgram) -> tuple[PythonProgram, int]:
    """A program whose value is 1 and whose gradients are the parts of a value and a tangent; the number of the former.

    Its arguments are followed by the directions.

    Raises:
        UnsupportedError: it calls a function that is not inlined.
    """
    if len(program.parts) > 1:
        raise UnsupportedError("it calls a function that is not inlined")
    part = program.parts[0]
    body, displays = [*part.body], {}
    last: Any = body.pop()
    while body and isinstance(node := body[-1], ast.Assign) and isinstance(node.value, (ast.Tuple, ast.List)):
        displays[ast.unparse(node.targets[0])] = node.value
        body.pop()
    value, tangent = ([*_parts(node, displays)] for node in last.value.elts)
    gradients = ast.Tuple([*value, *tangent], ast.Load())
    result = ast.Return(ast.Tuple([ast.Constant(1.0), gradients], ast.Load()))
    names = [name.strip() for name in part.parameters.split(",")][len(program.arguments) :]
    directions = {name: program.arguments[x] for name, x in zip(names, program.directed, strict=True)}
    return program.changed(
        parts=[part._replace(body=[*body, ast.copy_location(result, last)])],
        arguments={**program.arguments, **directions},
        inputs=tuple(map(str, range(len(value) + len(tangent)))),
        mode="gradient",
    ), len(value)


def _parts(node: ast.expr, displays: Mapping[str, ast.expr]) -> Iterator[ast.expr]:
    node = displays.get(ast.unparse(node), node)
    if not isinstance(node, (ast.Tuple, ast.List)):
        yield node
        return
    for item in node.elts:
        yield from _parts(item, displays)
