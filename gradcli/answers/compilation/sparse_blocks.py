"""Sparse Jacobians and Hessians by a derived program, run once per colour of the columns or of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.answers.compilation.derived_kernels import Kernel
from gradcli.answers.compilation.directional_kernels import flat, like
from gradcli.answers.compilation.edge_cases import EdgeCaseError
from gradcli.answers.derivation.languages.python_program import compiled
from gradcli.answers.derivation.reverse_mode import DerivationTask
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.methods.transforms.sparse_jacobians import ColouredPattern, coloured, colours, largest_epsilon

EPSILON = float(np.finfo(float).eps)  # of the numbers, at most
MOST_NUMBERS = 1 << 24  # of the vectors of all colours


class SparseBlocks:
    """The Jacobian by each input as a sparse array, of products along vectors: one per colour, and one that confirms.

    Which elements may differ from 0 is what eager derivatives have shown. Other numbers may have others, as where
    factors are no longer 0; the last product, with random numbers, contradicts that, and the call is left to the eager
    derivative, whose elements are added.

    Args:
        inputs: the inputs.
        value: the value, if the products may be with vectors like it, one per colour of the rows.
        examples: the Jacobian by each input.

    Raises:
        UnsupportedError: the pattern has too many colours, or the rounding of the numbers would hide other elements.

    Attributes:
        are_of_rows: whether the vectors are like the value, and the products are gradients.
    """

    def __init__(self, inputs: Sequence[Any], value: Any, examples: Sequence[Any]) -> None:
        self._inputs, self._value = [*inputs], [value]
        self._ends = np.cumsum([example.shape[1] for example in examples])
        self._dtype = examples[0].dtype
        self._epsilon = largest_epsilon(examples)
        if self._epsilon > EPSILON:
            raise UnsupportedError(f"elements that are not 0 elsewhere are not told from the rounding of {self._dtype}")
        pattern = coloured(_entries(examples), by_rows=value is not None)
        self.are_of_rows = pattern.are_of_rows
        self._take(pattern._replace(sizes=pattern.sizes_of(SCIPY.sparse.hstack(examples, "csr"))))

    def _take(self, pattern: ColouredPattern) -> None:
        if pattern.colours.size * pattern.colours.max(initial=0) > MOST_NUMBERS:
            raise UnsupportedError("its pattern has so many colours that the vectors of all take too much memory")
        build = like(self._value if self.are_of_rows else self._inputs)
        self._pattern = pattern
        self._directions = [build([vector]) for vector in pattern.vectors()]

    @property
    def number(self) -> int:
        """The number of products."""
        return len(self._directions)

    def directions(self) -> Sequence[Sequence[Any]]:
        """The vectors, each in parts like the inputs, or like the value."""
        return self._directions

    @property
    def stacked(self) -> Sequence[Any]:
        """For each input its part of all vectors, as an array."""
        return [np.array(part) for part in zip(*self._directions, strict=True)]

    def of(self, products: Any) -> Any:
        """The Jacobian by the input, or a tuple of those by several, from the products, one a column.

        Raises:
            EdgeCaseError: the last product contradicts the pattern.
        """
        matrix = self._pattern.jacobian(products.T, self._epsilon)
        if matrix is None:
            raise EdgeCaseError
        starts = [0, *self._ends[:-1]]
        blocks = [matrix[:, start:end].astype(self._dtype) for start, end in zip(starts, self._ends, strict=True)]
        return blocks[0] if len(blocks) == 1 else tuple(blocks)

    def unite(self, examples: Sequence[Any]) -> None:
        """Add the elements of eager derivatives by each input to those that may differ from 0."""
        known = self._pattern
        sizes = np.minimum(known.sizes, known.sizes_of(SCIPY.sparse.hstack(examples, "csr")))
        united = known.entries + _entries(examples)
        if united.nnz > known.entries.nnz:
            united.sort_indices()
            chosen = colours(united.T.tocsr() if self.are_of_rows else united)
            with suppress(UnsupportedError):  # the pattern stays as it is
                self._take(ColouredPattern(united, chosen, self.are_of_rows, sizes))


def _entries(examples: Sequence[Any]) -> Any:
    """The elements of Jacobians that may differ from 0, also those that are 0 at the point."""
    entries = SCIPY.sparse.hstack(examples, "csr").astype(bool)
    entries.data[:] = True
    entries.sort_indices()
    return entries


def along_rows(product: Kernel, value: Callable[..., Any], blocks: SparseBlocks) -> Kernel:
    """The value, and the Jacobian from the gradients of sums of the value, each weighted by one of the vectors."""

    def jacobians(*arguments: Any) -> tuple[Any, Any]:
        columns = [flat(product(*arguments, *weights)[1]) for weights in blocks.directions()]
        return value(*arguments), blocks.of(np.stack(columns, axis=-1))

    return jacobians


def weighted(task: DerivationTask, value: Any) -> DerivationTask:
    """The same task for the sum of the value of a function times weights like it, which are the last argument."""
    names = ", ".join(task.point)
    function, weights = "weighted", "weights"
    while function in task.point or weights in task.point:
        function, weights = f"{function}_", f"{weights}_"
    product = f"value({names}) * {weights}"
    total = f"np.sum({product})" if isinstance(value, np.ndarray) else product
    text = f"import numpy as np\n\n\ndef {function}({names}, {weights}):\n    return {total}\n"
    point = {**task.point, weights: value}
    return task.changed(function=compiled(text, function, {"value": task.function}), point=point)
