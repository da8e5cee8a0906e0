"""Which elements of the inputs each element of a result depends on: the sparsity pattern of the Jacobian.

The rows of a run are read once, with a set of elements in place of each number: a frozenset for a number, and for an
array a boolean sparse matrix with a row per element. A row of an elementwise rule unites the sets of the elements that
it combines. For a row of a rule on whole arrays, products of its own Jacobian with three vectors tell where each
element goes, if no element of the result, or of the argument, takes part twice; in other rows the whole Jacobian of the
row tells. It is taken at the numbers of the run and at random ones, because a factor may be 0 at the point alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import fit
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.shared.float_errors import without_float_errors

MOST_COMPUTED = 1 << 28  # elements of the Jacobian of one row that is computed to see which are 0
MOST_TAKEN = 1 << 22  # of these the ones that are not 0
MOST_ENTRIES = 1 << 26  # elements in all sets of one row
ROUNDING = 1e-14  # relative

NONE: frozenset[int] = frozenset()


@without_float_errors
def pattern(nodes: Sequence[TraceNode], inputs: Iterable[int], results: Iterable[tuple[int | None, Any]]) -> Any:
    """The elements of the inputs that each element of the results depends on.

    Args:
        nodes: the nodes of a run, from its first on.
        inputs: the indices of the input nodes.
        results: for each leaf of the result the index of its node, None for a constant, and its value.

    Returns:
        A boolean `scipy.sparse.csr_array`, with a row per element of the results and a column per element of the
        inputs, both in order. A derivative without an entry is 0: at every point, or because an operation on arrays
        does not take the element at this one, as a maximum does.

    Raises:
        UnsupportedError: SciPy is not installed, or the elements of a row depend on too many others.
    """
    by_index = {node.index: node for node in nodes}
    own = [(index, np.shape(by_index[index].value)) for index in inputs]
    ends = np.cumsum([0, *(math.prod(shape) for _, shape in own)]).tolist()
    reader = _Reader(ends[-1])
    for (index, shape), start, end in zip(own, ends, ends[1:], strict=False):
        reader.known[index] = reader.units(start, end) if shape else frozenset((start,))
    wanted = [*results]
    reader.read(nodes, {index for index, _ in wanted})
    rows = [reader.spread(reader.known.get(index, NONE), np.shape(x), np.shape(x)) for index, x in wanted]  # type: ignore[arg-type]
    whole = SCIPY.sparse.vstack([reader.rows(NONE, 0), *rows], "csr", bool)
    whole.sort_indices()
    return whole


class _Reader:
    """The sets of the nodes of a run that depend on an input, by index, each with elements below `width`."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.known: dict[int, Any] = {}

    def read(self, nodes: Sequence[TraceNode], wanted: set[int | None]) -> None:
        """Add the sets of all nodes, and leave out those that nothing reads later."""
        known, last_uses = self.known, {source: node.index for node in nodes for source in node.inputs}
        for node in nodes:
            if node.index not in known:
                sets = [known.get(source) if source != CONSTANT else None for source in node.sources]
                if any(x is not None for x in sets):
                    made = self._of(node, sets)
                    is_one = np.shape(node.value) == () and not isinstance(made, frozenset)
                    known[node.index] = frozenset(made.indices.tolist()) if is_one else made
            for source in {*node.inputs} - wanted:
                if last_uses[source] == node.index:
                    known.pop(source, None)

    def units(self, start: int, end: int) -> Any:
        """A row for each element from one to another, with this element alone."""
        count = end - start
        return self._matrix(np.arange(start, end), np.arange(count + 1))

    def rows(self, elements: frozenset[int], count: int) -> Any:
        """So many rows with the same elements."""
        return self._matrix(np.tile(sorted(elements), count), np.arange(count + 1) * len(elements))

    def _matrix(self, columns: Any, starts: Any) -> Any:
        shape = len(starts) - 1, self.width
        return SCIPY.sparse.csr_array((np.ones(len(columns), bool), columns.astype(int), starts), shape=shape)

    def spread(self, sets: Any, own: tuple[int, ...], shape: tuple[int, ...]) -> Any:
        """The rows of a value of the shape `own`, broadcast to another shape."""
        if isinstance(sets, frozenset):
            return self.rows(sets, math.prod(shape))
        return sets if own == shape else sets[np.broadcast_to(_places(own), shape).ravel()]

    def _of(self, node: TraceNode, sets: list[Any]) -> Any:
        """The sets of a node, from those of its arguments; None for an argument that depends on no input."""
        if node.rule is None:  # an alias
            return sets[0]
        if isinstance(node.rule, ArrayRule):
            is_at_key = node.static.keys() == {"key"} and (node.rule.reads or node.rule.writes)
            return self._at_key(node, sets) if is_at_key else self._of_array_rule(node, sets)
        parts = [(x, np.shape(operand)) for x, operand in zip(sets, node.operands, strict=True) if x is not None]
        if all(isinstance(x, frozenset) for x, _ in parts):
            return self.rows_of(NONE.union(*(x for x, _ in parts)), np.shape(node.value))
        return reduce(add, (self.spread(x, own, np.shape(node.value)) for x, own in parts))

    def rows_of(self, elements: frozenset[int], shape: tuple[int, ...]) -> Any:
        """The same elements for each element of a value: the set itself for a number."""
        return self.rows(elements, math.prod(shape)) if shape else elements

    def _at_key(self, node: TraceNode, sets: list[Any]) -> Any:
        """The sets of a row that reads or writes elements."""
        key, own, shape = node.static["key"], np.shape(node.operands[0]), np.shape(node.value)
        places = _places(own)
        if node.rule.reads:
            rows, wanted = self.spread(sets[0], own, own), places[key]
            return _row(rows, wanted) if wanted.ndim == 0 else rows[wanted.ravel()]
        before = self.spread(NONE if sets[0] is None else sets[0], shape, shape)
        new, value = NONE if sets[1] is None else sets[1], np.shape(node.operands[1])
        if isinstance(new, frozenset) and np.ndim(places[key]) == 0:
            return self._with_row(before, places[key], sorted(new))
        written = self.spread(new, value, value)
        places[key] = before.shape[0] + _places(value)
        return SCIPY.sparse.vstack([before, written], "csr", bool)[places.ravel()]

    def _with_row(self, rows: Any, place: int, elements: list[int]) -> Any:
        """Some rows with other elements in one of them."""
        start, end = rows.indptr[place : place + 2]
        starts = rows.indptr.copy()
        starts[place + 1 :] += len(elements) - (end - start)
        return self._matrix(np.concatenate([rows.indices[:start], elements, rows.indices[end:]]), starts)

    def _of_array_rule(self, node: TraceNode, sets: list[Any]) -> Any:
        moving, shape = [n for n, x in enumerate(sets) if x is not None], np.shape(node.value)
        given = [self.spread(sets[n], np.shape(node.operands[n]), np.shape(node.operands[n])) for n in moving]
        united = None
        if any(np.iscomplexobj(x) for x in (node.value, *node.operands)):
            united = self._every(node, SCIPY.sparse.vstack(given, "csr", bool))
        elif node.rule.linear:
            united = self._moved(node, moving, given)
        if united is None:
            runs = [(node.value, node.operands), *_elsewhere(node, dict(zip(moving, given, strict=True)))]
            pairs = [(n, rows, run) for n, rows in zip(moving, given, strict=True) for run in runs]
            united = reduce(add, [self._through(node, n, rows, *run) for n, rows, run in pairs])
        return united if shape else frozenset(united.indices.tolist())

    def _every(self, node: TraceNode, rows: Any) -> Any:
        """All elements of some rows for each element of a node.

        Raises:
            UnsupportedError: these are too many.
        """
        every = frozenset(np.unique(rows.indices).tolist())
        if len(every) * np.size(node.value) > MOST_ENTRIES:
            raise UnsupportedError(
                f"the sparsity pattern of {node.operation} is nearly full, or too large to be read",
                hint="Leave out sparse=True, or --pattern.",
            )
        return self.rows(every, int(np.size(node.value)))

    def _moved(self, node: TraceNode, moving: list[int], given: list[Any]) -> Any:
        """The sets if each element of the result of a linear rule is a multiple of one of an argument's; else None."""
        sizes = [rows.shape[0] for rows in given]

        def forward(vector: Any) -> Any:
            parts = iter(np.split(vector, np.cumsum(sizes)[:-1]))
            operands = enumerate(node.operands)
            arguments = [
                np.reshape(next(parts), np.shape(x)) if n in moving else np.zeros(np.shape(x)) for n, x in operands
            ]
            return np.ravel(node.rule.forward(*arguments, **node.static))

        places = _single_places(forward, sum(sizes))
        return None if places is None else SCIPY.sparse.vstack([*given, self.rows(NONE, 1)], "csr", bool)[places]

    def _through(self, node: TraceNode, position: int, rows: Any, value: Any, operands: Sequence[Any]) -> Any:
        """The sets of a node through one argument, whose elements have these rows, with this value and operands."""
        operand, shape = operands[position], np.shape(value)
        height, size = int(np.size(value)), rows.shape[0]

        def pull(ct: Any) -> Any:
            products = node.rule.vjp(position, np.reshape(ct, shape)[()], value, operands, node.static)
            return np.ravel(fit(products, operand))

        places = _single_places(pull, height)
        taken = _taken_by_rows(pull, height, size) if places is None else np.flatnonzero(places < height)
        if taken is None:
            return self._every(node, rows)
        at, by = np.divmod(taken, size) if places is None else (places[taken], taken)
        return SCIPY.sparse.csr_array((np.ones(len(taken), bool), (at, by)), shape=(height, size)) @ rows


def _elsewhere(node: TraceNode, moving: Mapping[int, Any]) -> list[tuple[Any, list[Any]]]:
    """The value and operands of a row, with random numbers where elements of the operands depend on an input.

    Nothing for a row that is linear or selects elements, and for one that has no finite value there, as a factorisation
    of a matrix that is not positive.
    """
    if node.rule.linear or node.rule.selects:
        return []
    generator = np.random.default_rng(0)
    operands = [*node.operands]
    for n, rows in moving.items():
        x = np.asarray(operands[n])
        depends = np.reshape(np.diff(rows.indptr) > 0, x.shape)
        moved = x * generator.uniform(1.0, 1.5, x.shape) + generator.uniform(0.5, 1.0, x.shape)
        operands[n] = np.where(depends, moved, x).astype(x.dtype)[()]
    try:
        value = node.rule.forward(*operands, **node.static)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return []
    return [(value, operands)] if np.shape(value) == np.shape(node.value) and np.all(np.isfinite(value)) else []


def _taken_by_rows(pull: Callable[[Any], Any], height: int, size: int) -> Any:
    """The places of the elements of a matrix that are not 0, by its product with each unit; None if they are many."""
    if height * size > MOST_COMPUTED:
        return None
    unit, taken, count = np.zeros(height), [np.zeros(0, int)], 0
    for row in range(height):
        unit[row] = 1.0
        taken.append(row * size + np.flatnonzero(pull(unit)))
        unit[row] = 0.0
        count += len(taken[-1])
        if count > MOST_TAKEN:
            return None
    return np.concatenate(taken)


def _row(rows: Any, place: int) -> frozenset[int]:
    """The elements of one row."""
    return frozenset(rows.indices[rows.indptr[place] : rows.indptr[place + 1]].tolist())


def _places(shape: tuple[int, ...]) -> Any:
    """The places of the elements of an array, in its shape."""
    return np.arange(math.prod(shape)).reshape(shape)


def _single_places(product: Callable[[Any], Any], size: int) -> Any:
    """For each element of the product of a matrix with a vector the column of its only entry; `size` for none.

    Args:
        product: the product with a vector.
        size: the number of columns.

    Returns:
        None if a row has more than one entry. Three products tell, one of them with random numbers.
    """
    generator = np.random.default_rng(0)
    numbers, weights = generator.permutation(size) + 1.0, generator.uniform(1.0, 2.0, size)
    entries, numbered, weighted = product(np.ones(size)), product(numbers), product(weights)
    is_empty = entries == 0
    columns = np.rint(numbered / np.where(is_empty, 1.0, entries))
    if not np.all(np.isfinite(entries) & (is_empty | ((columns >= 1) & (columns <= size)))):
        return None
    order = np.append(np.argsort(numbers), 0)  # also of no columns
    places = np.where(is_empty, size, order[np.where(is_empty, 1, columns).astype(int) - 1])
    agree = (
        np.isclose(computed, entries * np.append(given, 0.0)[places], ROUNDING, 0.0)
        for computed, given in ((numbered, numbers), (weighted, weights))
    )
    return places if all(map(np.all, agree)) else None
