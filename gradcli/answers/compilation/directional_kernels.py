"""Jacobians, Hessians and products of Hessians by a derived program of products along directions (forward mode)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from gradcli.answers.compilation.derived_kernels import Kernel
from gradcli.answers.compilation.edge_cases import EdgeCaseError
from gradcli.answers.derivation.forward_mode import DirectionalDerivation
from gradcli.answers.derivation.languages.python_program import PythonProgram, compiled
from gradcli.answers.derivation.reverse_mode import Derivation, DerivationTask
from gradcli.shared.pytree import leaves, map_leaves


def directional_program(task: DerivationTask, *, of_gradient: bool) -> PythonProgram:
    """The value of a function, or its value and gradient, and the tangents of these along directions of the inputs.

    Raises:
        GradcliError: it cannot be derived.
    """
    if of_gradient:
        first = Derivation(task)
        function = compiled(first.gradient(with_value=True), f"grad_{first.user.name}")
        task = task.changed(function=function, title=f"the gradient of {first.user.name}")
    derivation = DirectionalDerivation(task)
    text = derivation.forward(with_value=True)
    return derivation.program(f"jvp_{derivation.user.name}", text, "forward", value=True)


def along_last(product: Kernel) -> Kernel:
    """The product of a Hessian with a direction, the last argument, from the tangents of a value and its gradient."""

    def along(*arguments: Any) -> tuple[Any, Any]:
        value, (_, tangent) = product(*arguments)
        return value, tangent

    return along


def by_columns(product: Kernel, blocks: JacobianColumns, *, of_gradient: bool) -> Kernel:
    """The Jacobian by each input, from products along directions of the inputs; a tuple of those by several.

    Args:
        product: takes a direction for each input after the arguments, and returns the value and the tangent.
        blocks: gives the directions, and makes the Jacobians of the products.
        of_gradient: whether the product is that of a value and its gradient, of which the gradient alone is wanted.
    """

    def jacobians(*arguments: Any) -> tuple[Any, Any]:
        columns, value = [], None
        for direction in blocks.directions():
            value, tangent = product(*arguments, *direction)
            columns.append(flat(tangent[1] if of_gradient else tangent))
        matrix = np.stack(columns, axis=-1)
        if matrix.dtype.kind != "f":  # a power of a negative number
            raise EdgeCaseError
        return value, blocks.of(matrix)

    return jacobians


def flat(tangent: Any) -> Any:
    """The numbers of a tangent or of gradients as an array of its own: a tangent may be the direction."""
    if type(tangent) is np.ndarray:
        return tangent.flatten()
    return np.concatenate([np.ravel(leaf) for leaf in leaves(tangent)])


class JacobianColumns(Protocol):
    """The directions along which a Jacobian is computed, and what makes it of the products with these."""

    @property
    def number(self) -> int:
        """The number of directions."""

    @property
    def stacked(self) -> Sequence[Any]:
        """For each input its part of all directions, as an array."""

    def directions(self) -> Iterable[Sequence[Any]]:
        """The directions, each in parts like the inputs."""

    def of(self, matrix: Any) -> Any:
        """The Jacobian by the input, or a tuple of those by several, of the products, one a column."""


class Blocks:
    """The structures of Jacobians, each by one input: that of the result outside, and that of the input inside.

    Args:
        inputs: the inputs.
        examples: the Jacobian by each of them.

    Attributes:
        number: the number of columns.
    """

    def __init__(self, inputs: Sequence[Any], examples: Sequence[Any]) -> None:
        self._inputs, self._structure = [*inputs], map_leaves(lambda _: 0.0, [*examples])
        sizes = [np.size(leaf) for leaf in leaves(self._inputs)]
        self._begins = [0, *accumulate(sizes)]
        self.number = self._begins[-1]
        self._slots = [*self._all_slots(sizes, examples)]

    def _all_slots(
        self, sizes: Sequence[int], examples: Sequence[Any]
    ) -> Iterator[tuple[slice, slice, Callable[[Any], Any]]]:
        """Yield the rows and the columns of each block, and what makes it of these."""
        first = 0
        for input_, example in zip(self._inputs, examples, strict=True):
            count, row = len(leaves(input_)), 0
            parts = leaves(example)
            for begin in range(0, len(parts), count):
                height = np.size(parts[begin]) // sizes[first]
                for n, part in enumerate(parts[begin : begin + count], first):
                    columns = slice(self._begins[n], self._begins[n + 1])
                    yield slice(row, row + height), columns, maker(part)
                row += height
            first += count

    def directions(self) -> Iterator[Sequence[Any]]:
        """Yield the unit directions, one for each number of the inputs."""
        for number in range(self.number):
            begins = iter(self._begins)
            yield map_leaves(lambda leaf: _unit(leaf, number - next(begins)), self._inputs)  # noqa: B023

    @cached_property
    def stacked(self) -> Sequence[Any]:
        """For each input its part of all directions, as an array."""
        return [np.array(column) for column in zip(*self.directions(), strict=True)]

    def of(self, matrix: Any) -> Any:
        """The Jacobian by the input, or a tuple of those by several, of the matrix of all, or of that of each row."""
        made = iter([make(matrix[..., rows, columns]) for rows, columns, make in self._slots])
        blocks: list[Any] = map_leaves(lambda _: next(made), self._structure)
        return blocks[0] if len(blocks) == 1 else tuple(blocks)


def _unit(leaf: Any, place: int) -> Any:
    """A direction like a leaf: 1 at one place, and 0 elsewhere; 0 everywhere if the place is outside of the leaf."""
    if type(leaf) is not np.ndarray:
        return type(leaf)(place == 0)
    unit = np.zeros_like(leaf)
    if 0 <= place < leaf.size:
        unit.flat[place] = 1.0
    return unit


def maker(example: Any) -> Callable[[Any], Any]:
    """The function that makes a block of numbers like an example, or an array of such blocks, one per row."""
    if type(example) is not np.ndarray:
        kind = type(example)
        return lambda block: kind(block[0, 0]) if block.ndim == 2 else block[..., 0, 0]
    dtype, shape = example.dtype, example.shape
    return lambda block: np.array(block, dtype, order="C").reshape((*block.shape[:-2], *shape))


def like(example: Any) -> Callable[..., Any]:
    """The function that makes a structure like an example of its numbers and arrays in order, or of those of rows."""
    makers = [maker(leaf) for leaf in leaves(example)]
    ends = [0, *accumulate(np.size(leaf) for leaf in leaves(example))]
    structure = map_leaves(lambda _: 0.0, example)

    def made(parts: Sequence[Any], *rows: int) -> Any:
        row = np.concatenate([np.reshape(part, (*rows, 1, -1)) for part in parts], axis=-1)
        items = iter([make(row[..., begin:end]) for make, begin, end in zip(makers, ends, ends[1:], strict=False)])
        return map_leaves(lambda _: next(items), structure)

    return made
