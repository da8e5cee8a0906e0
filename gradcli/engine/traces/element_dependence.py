"""Which elements of the inputs each element of a result depends on: the sparsity pattern of the Jacobian.

The rows of a run are read once, with a set of elements in place of each number. A row of an elementwise rule unites the
sets of the elements that it combines. For a row of a rule on whole arrays, products of its own Jacobian with three
vectors tell where each element goes, if no element of the result, or of the argument, takes part twice; in other rows
the whole Jacobian of the row tells.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import fit
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.shared.float_errors import without_float_errors

MOST_COMPUTED = 1 << 22  # elements of the Jacobian of one row that is computed to see which are 0
MOST_ENTRIES = 1 << 26  # elements in all sets of one row
ROUNDING = 1e-9  # relative

NONE: frozenset[int] = frozenset()
_united = np.frompyfunc(operator.or_, 2, 1)


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
    known: dict[int, Any] = {}
    count = 0
    for index in inputs:
        value = by_index[index].value
        known[index] = _sets([frozenset((n,)) for n in range(count, count + np.size(value))], np.shape(value))
        count += int(np.size(value))
    wanted = [*results]
    _read(nodes, known, {index for index, _ in wanted})
    sets = [
        *chain.from_iterable(
            [NONE] * np.size(value) if index not in known else np.ravel(known[index]) for index, value in wanted
        )
    ]
    columns = [*chain.from_iterable(map(sorted, sets))]
    starts = np.cumsum([0, *map(len, sets)])
    return SCIPY.sparse.csr_array((np.ones(len(columns), bool), columns, starts), shape=(len(sets), count))


def _read(nodes: Sequence[TraceNode], known: dict[int, Any], wanted: set[int | None]) -> None:
    """Add the sets of the nodes that depend on an input, and leave out those that nothing reads later."""
    last_uses = {source: node.index for node in nodes for source in node.inputs}
    for node in nodes:
        if node.index not in known:
            sets = [known.get(source) if source != CONSTANT else None for source in node.sources]
            if any(x is not None for x in sets):
                known[node.index] = _of(node, sets)
        for source in {*node.inputs} - wanted:
            if last_uses[source] == node.index:
                known.pop(source, None)


def _sets(sets: Sequence[frozenset[int]], shape: tuple[int, ...]) -> Any:
    """Sets in an array of this shape; the one set for a number."""
    if not shape:
        return sets[0]
    array = np.empty(len(sets), object)
    array[:] = sets
    return array.reshape(shape)


def _of(node: TraceNode, sets: list[Any]) -> Any:
    """The sets of a node, from those of its arguments; None for an argument that depends on no input."""
    if node.rule is None:  # an alias
        return sets[0]
    if not isinstance(node.rule, ArrayRule):
        united = functools.reduce(_united, [x for x in sets if x is not None])
        return united if np.shape(united) == np.shape(node.value) else np.broadcast_to(united, np.shape(node.value))
    if node.static.keys() == {"key"} and (node.rule.reads or node.rule.writes):
        return _at_key(node, sets)
    return _of_array_rule(node, sets)


def _at_key(node: TraceNode, sets: list[Any]) -> Any:
    """The sets of a row that reads or writes elements."""
    key = node.static["key"]
    if node.rule.reads:
        return sets[0][key]
    changed = np.full(np.shape(node.value), NONE, object) if sets[0] is None else sets[0].copy()
    changed[key] = NONE if sets[1] is None else sets[1]
    return changed


def _of_array_rule(node: TraceNode, sets: list[Any]) -> Any:
    moving = [n for n, x in enumerate(sets) if x is not None]
    if any(np.iscomplexobj(x) for x in (node.value, *node.operands)):
        every = _union(x for n in moving for x in np.ravel(sets[n]))
        united = _sets([every] * np.size(node.value), np.shape(node.value))
    else:
        united = _moved(node, moving, sets)
    if united is None:
        united = functools.reduce(_united, [_through(node, position, np.ravel(sets[position])) for position in moving])
    if sum(map(len, np.ravel(united))) > MOST_ENTRIES:
        raise UnsupportedError(
            f"nearly every element of {node.operation} depends on too many elements of the inputs",
            hint="Leave out sparse=True.",
        )
    return united


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return NONE.union(*sets)


def _moved(node: TraceNode, moving: list[int], sets: list[Any]) -> Any:
    """The sets if each element of the result of a linear rule is a multiple of one of an argument's; else None."""
    if not node.rule.linear:
        return None
    sizes = [np.size(sets[n]) for n in moving]

    def forward(vector: Any) -> Any:
        parts = iter(np.split(vector, np.cumsum(sizes)[:-1]))
        operands = enumerate(node.operands)
        arguments = [
            np.reshape(next(parts), np.shape(x)) if n in moving else np.zeros(np.shape(x)) for n, x in operands
        ]
        return np.ravel(node.rule.forward(*arguments, **node.static))

    places = _single_places(forward, sum(sizes))
    if places is None:
        return None
    given = np.array([*(x for n in moving for x in np.ravel(sets[n])), NONE], object)
    return _sets(given[places], np.shape(node.value))


def _through(node: TraceNode, position: int, sets: Any) -> Any:
    """The sets of a node through one argument, whose elements have these sets."""
    operand, shape = node.operands[position], np.shape(node.value)
    height = int(np.size(node.value))

    def pull(ct: Any) -> Any:
        products = node.rule.vjp(position, np.reshape(ct, shape)[()], node.value, node.operands, node.static)
        return np.ravel(fit(products, operand))

    places = _single_places(pull, height)
    if places is not None:
        by_place: list[list[frozenset[int]]] = [[] for _ in range(height + 1)]
        for place, elements in zip(places.tolist(), sets, strict=True):
            by_place[place].append(elements)
        return _sets([_union(group) for group in by_place[:height]], shape)
    if height * sets.size > MOST_COMPUTED:
        return _sets([_union(sets)] * height, shape)
    return _sets([_union(sets[pull(unit) != 0]) for unit in np.eye(height)], shape)


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
