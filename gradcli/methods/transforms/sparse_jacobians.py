"""Sparse Jacobians from a few sweeps: columns, or rows, that share no element of their pattern share a sweep.

(A. Curtis, M. Powell and J. Reid, On the estimation of sparse Jacobian matrices, 1974.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.sweeps.reverse_and_forward import forward, reverse_each
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import Value, is_recorded, plain_value, row_indices
from gradcli.engine.traces.element_dependence import pattern
from gradcli.engine.traces.node import TraceNode, so_far
from gradcli.engine.traces.straight_line_program import Program, in_order, program_of
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.shared import devices
from gradcli.shared.float_errors import without_float_errors
from gradcli.shared.pytree import leaves

SHORTEST = np.float32  # of the floats of SciPy's sparse arrays
ROUNDING = 1 << 12  # units in the last place by which a product may differ from that of the entries
MOST_ROUNDING = 1 << 20  # the same where terms cancel within an entry


class ColouredPattern(NamedTuple):
    """The entries of a Jacobian that may differ from 0, with a colour per column, or per row if that takes fewer.

    Attributes:
        entries: a boolean sparse array.
        colours: the colour of each column, or of each row.
        are_of_rows: whether the colours are those of the rows.
        sizes: what `sizes_of` gives at another point; infinite at the point where the pattern was read.
    """

    entries: Any
    colours: Any
    are_of_rows: bool
    sizes: Any = math.inf

    def vectors(self) -> Any:
        """For each colour the elements that have it, as zeros and ones, and at last random numbers."""
        marked = self.colours == np.arange(self.colours.max(initial=-1) + 1)[:, np.newaxis]
        return np.vstack([marked, self._direction])

    @property
    def _direction(self) -> Any:
        return np.random.default_rng(0).uniform(1.0, 2.0, len(self.colours))

    def sizes_of(self, jacobian: Any) -> Any:
        """For each number of the last product the sum of the sizes of its terms."""
        return abs(jacobian.T if self.are_of_rows else jacobian) @ self._direction

    @without_float_errors
    def jacobian(self, products: Any, epsilon: float) -> Any:
        """The Jacobian with the entries of the pattern.

        Args:
            products: its products with `vectors()`, one a row.
            epsilon: the machine epsilon of the numbers.

        Returns:
            A `scipy.sparse.csr_array`; None if the last product contradicts the pattern.
        """
        at, by = self.entries.nonzero()
        products = products.astype(np.result_type(products, SHORTEST), copy=False)
        matrix = self.entries.astype(products.dtype)
        matrix.data = products[self.colours[at], by] if self.are_of_rows else products[self.colours[by], at]
        difference = products[-1] - (matrix.T if self.are_of_rows else matrix) @ self._direction
        least, sizes = ROUNDING * epsilon, self.sizes_of(matrix)
        most = min(math.sqrt(epsilon), math.inf if np.ndim(self.sizes) == 0 else MOST_ROUNDING * epsilon)
        # Terms that cancel within an entry leave the rounding of larger ones, of which the other point tells
        allowed = np.clip(least * self.sizes, least * sizes, max(least, most) * sizes)
        return matrix if np.all(np.abs(difference) <= allowed) else None


def takes_by_size(node: TraceNode) -> bool:
    """Whether a node takes other elements where numbers are in another order, as a maximum and eigenvalues do."""
    return isinstance(node.rule, ArrayRule) and node.rule.kink is not None


Known = dict[Program, ColouredPattern]  # of the last program alone


def sparse_blocks(tape: Tape, inputs: list[Any], result: Any, known: Known) -> list[Any] | None:
    """The Jacobian by each input as a `scipy.sparse.csr_array`, a row per element of the result.

    Args:
        tape, inputs, result: the record of the run, its inputs and its result.
        known: the pattern of the last program, which is replaced by that of another, if it is that of all points.

    Returns:
        None if a number is not finite, or if a product with random numbers contradicts the pattern.

    Raises:
        UnsupportedError: SciPy is not installed, or the Jacobian is not sparse.

    The cost is a sweep per colour of the columns or, if those are fewer, of the rows, and one that confirms it.
    """
    arguments, results = leaves(inputs), leaves(result)
    nodes, outcomes = so_far(tape, 0)
    places = [leaf.index if is_recorded(leaf) else None for leaf in results]
    indices = row_indices(arguments, tape)
    shapes = [np.shape(plain_value(leaf)) for leaf in (*arguments, *results)]  # of which a program has none
    program = program_of(nodes, in_order(outcomes, None), None, (indices, shapes), places)
    sweeps = _Sweeps(tape, arguments, results)
    epsilon = largest_epsilon(leaf._value for leaf in arguments)
    kept = known.get(program)  # which other threads may replace
    for read in (kept, None) if kept else (None,):
        by_index = zip(places, map(plain_value, results), strict=True)
        entries = read or coloured(pattern(nodes, indices, by_index), by_rows=len(results) == 1)
        along = sweeps.along_rows if entries.are_of_rows else sweeps.along_columns
        jacobian = entries.jacobian(along(entries.vectors()), epsilon)
        if jacobian is not None:
            if np.ndim(entries.sizes) == 0 and not any(map(takes_by_size, nodes)):
                known.clear()
                known[program] = entries._replace(sizes=entries.sizes_of(jacobian))
            parts = [[np.asarray(leaf._value) for leaf in leaves(input_)] or [np.zeros(0)] for input_ in inputs]
            ends = np.cumsum([sum(map(np.size, part)) for part in parts])
            blocks = [jacobian[:, start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
            return [block.astype(np.result_type(*part, SHORTEST)) for block, part in zip(blocks, parts, strict=True)]
    return None


def coloured(entries: Any, *, by_rows: bool) -> ColouredPattern:
    """A pattern with the colours of its columns or, if they are fewer and `by_rows` allows it, of its rows."""
    of_columns = colours(entries)
    fewest = max(np.diff(entries.tocsc().indptr), default=0)  # rows with an entry in one column differ in colour
    if by_rows and 0 < fewest <= max(of_columns, default=0):
        of_rows = colours(entries.T.tocsr())
        if max(of_rows) < max(of_columns):
            return ColouredPattern(entries, of_rows, are_of_rows=True)
    return ColouredPattern(entries, of_columns, are_of_rows=False)


def largest_epsilon(numbers: Iterable[Any]) -> float:
    """The machine epsilon of the shortest of some floats and arrays of floats."""
    return float(max((np.finfo(np.result_type(x)).eps for x in numbers), default=np.finfo(float).eps))


def refuse_device(arguments: list[Value]) -> None:
    """Refuse runs on a device, of which no sparse Jacobian is computed.

    Raises:
        UnsupportedError: an argument is on a device.
    """
    if any(devices.on_device(leaf._value) for leaf in arguments):
        raise UnsupportedError("a sparse Jacobian is computed on the host", hint="Give NumPy arrays.")


def from_dense(inputs: list[Any], result: Any, blocks: list[Any]) -> list[Any]:
    """The same from a Jacobian by each input that has the structures of result and input."""
    heights = [int(np.size(plain_value(leaf))) for leaf in leaves(result)]
    whole = []
    for input_, block in zip(inputs, blocks, strict=True):
        widths, parts = [int(np.size(leaf._value)) for leaf in leaves(input_)], iter(leaves(block))
        rows = [[np.reshape(next(parts), (height, width)) for width in widths] for height in heights]
        matrix: Any = np.block(rows)
        whole.append(SCIPY.sparse.csr_array(matrix.astype(np.result_type(matrix, SHORTEST), copy=False)))
    return whole


def colours(pattern: Any) -> Any:
    """A colour, counted from 0, for each column of a sparse array; columns of one colour have no row in common.

    Columns with many entries are coloured first, each with the first colour that is free.
    """
    by_column = pattern.T.tocsr()
    starts, entries = by_column.indptr.tolist(), by_column.indices.tolist()
    taken = [0] * pattern.shape[0]  # the colours of each row, as bits
    chosen = np.zeros(pattern.shape[1], int)
    for column in np.argsort(-np.diff(by_column.indptr), kind="stable").tolist():
        own, others = entries[starts[column] : starts[column + 1]], 0
        for row in own:
            others |= taken[row]
        free = ~others & (others + 1)
        for row in own:
            taken[row] |= free
        chosen[column] = free.bit_length() - 1
    return chosen


def colour_count(pattern: Any) -> int:
    """The number of colours of the columns of a sparse array, each of which takes one sweep."""
    return int(max(colours(pattern), default=-1)) + 1


class _Sweeps:
    """The products of the Jacobian of a run with vectors, one per sweep."""

    def __init__(self, tape: Tape, arguments: list[Value], results: list[Any]) -> None:
        self._tape, self._arguments, self._results = tape, arguments, results

    def along_columns(self, tangents: Any) -> Any:
        """The products with tangents of all inputs, given as rows."""
        wanted = row_indices(self._results, self._tape)
        sizes = np.cumsum([np.size(leaf._value) for leaf in self._arguments])[:-1]
        products = []
        for tangent in tangents:
            parts = np.split(tangent, sizes)  # one also without arguments
            moved = {leaf.index: _like(leaf, part) for leaf, part in zip(self._arguments, parts, strict=False)}
            products.append(np.concatenate([*self._parts(forward(self._tape, moved, wanted))]))
        return np.reshape(products, (len(tangents), sum(np.size(plain_value(leaf)) for leaf in self._results)))

    def _parts(self, moved: list[Any]) -> Iterator[Any]:
        return (
            np.broadcast_to(moved[leaf.index] if is_recorded(leaf) else 0.0, np.shape(plain_value(leaf))).ravel()
            for leaf in self._results
        )

    def along_rows(self, cotangents: Any) -> Any:
        """The products with cotangents of the one result, given as rows."""
        (result,) = self._results
        wanted = [leaf.index for leaf in self._arguments]
        sweeps = reverse_each(self._tape, result.index, [_like(result, ct) for ct in cotangents], 0, wanted)
        return np.array([np.concatenate([*self._flat(sweep)]) for sweep in sweeps])

    def _flat(self, sweep: list[Any]) -> Iterator[Any]:
        return (
            np.zeros(np.size(leaf._value)) if ct is UNTOUCHED else np.ravel(ct)
            for leaf, ct in zip(self._arguments, sweep, strict=True)
        )


def _like(leaf: Value, numbers: Any) -> Any:
    """Numbers in the type and shape of a value."""
    value = leaf._value
    return float(numbers[0]) if type(value) is float else numbers.astype(value.dtype).reshape(np.shape(value))[()]
