"""`numpy.einsum` in all its spellings, reduced to products of two arrays with named axes."""

from __future__ import annotations

import operator
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, plain_value, refuse_options, serves
from gradcli.mathematics.rules.indexing import INDEX
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.numpy.rearranging import diagonal
from gradcli.mathematics.rules.numpy.rearranging_helpers import integers_like
from gradcli.mathematics.rules.products import EINSUM
from gradcli.mathematics.rules.reduction import SUM
from gradcli.mathematics.rules.shape import RESHAPE, TRANSPOSE

Term = tuple[str, Any]  # an array and the names of its axes

LETTERS = string.ascii_uppercase + string.ascii_lowercase  # in the order of their codes, as in implicit outputs


@serves("einsum")
def einsum(*operands: Any, out: Any = None, optimize: Any = False, **options: Any) -> Any:
    """`numpy.einsum`, always computed as products of two arrays; `optimize` determines their order."""
    refuse_options("einsum", **{key: x for key, x in options.items() if key not in ("order", "casting")})
    text, arrays = _spelled(operands)
    return _einsum(text, *map(numeric, arrays), optimize=optimize)


def _by_products_of_two(text: str, *arrays: Any, optimize: Any) -> Any:
    try:
        names, output = _read(text, arrays)
        lengths = _lengths(names, arrays)
        terms = [_distinct(term, array, lengths) for term, array in zip(names, arrays, strict=True)]
    except ValueError:
        np.einsum(text, *(np.broadcast_to(0.0, np.shape(array)) for array in arrays))  # raises NumPy's own error
        raise
    if any(n == 0 for name, n in lengths.items() if name not in output):
        return _sum_of_nothing(arrays, tuple(lengths[name] for name in output))
    return _contracted(terms, output, _order(text, arrays, optimize))


def _sum_of_nothing(arrays: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """The sums of no products: zeros, to which no element of an array contributes, whatever its partial.

    The product of a sum over nothing and an array would be 0 times each of its elements.
    """
    flat = (RESHAPE(array, shape=(np.size(array),), order="C") for array in arrays)
    sums = (SUM(INDEX(array, key=slice(0, 0)), axis=(0,), keepdims=False) for array in flat)
    nothing = reduce(operator.add, sums)
    return nothing + np.zeros(shape, plain_value(nothing).dtype)


_einsum = with_value_of("einsum", _by_products_of_two)


@serves("einsum_path")
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """`numpy.einsum_path`, which depends on shapes only."""
    text, arrays = _spelled(operands)
    return np.einsum_path(text, *(np.broadcast_to(0.0, np.shape(array)) for array in arrays), optimize=optimize)


def _spelled(operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """The text and the arrays of a call, given a text or a list of axis numbers after each array."""
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), list(operands[1:])
    arrays, lists = list(operands[: 2 * (len(operands) // 2) : 2]), list(operands[1::2])
    output = f"->{_named(operands[-1])}" if len(operands) % 2 else ""
    return ",".join(map(_named, lists)) + output, arrays


def _named(numbers: Sequence[Any]) -> str:
    return "".join("..." if n is Ellipsis else LETTERS[n] for n in numbers)


def _read(text: str, arrays: Sequence[Any]) -> tuple[list[str], str]:
    """The names of the axes of each array and of the result, with the dots expanded."""
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    unused = [letter for letter in LETTERS if letter not in text]
    counts = [np.ndim(x) - len(term.replace("...", "")) for term, x in zip(terms, arrays, strict=True)]
    most = max([count for term, count in zip(terms, counts, strict=True) if "..." in term], default=0)
    dots = "".join(unused[:most])
    if not arrow:
        once = sorted(letter for letter, n in Counter(inputs).items() if n == 1 and letter.isalpha())
        output = "..." * ("..." in inputs) + "".join(once)
    spelled = [term.replace("...", dots[most - n :]) for term, n in zip(terms, counts, strict=True) if n >= 0]
    output = output.replace("...", dots)
    if any(len(term) != np.ndim(x) for term, x in zip(spelled, arrays, strict=True)) or len({*output}) < len(output):
        raise ValueError(text)
    return spelled, output


def _lengths(names: Sequence[str], arrays: Sequence[Any]) -> dict[str, int]:
    """The length of each axis. An axis of length 1 broadcasts."""
    lengths: dict[str, int] = {}
    for term, array in zip(names, arrays, strict=True):
        for name, n in zip(term, np.shape(array), strict=True):
            if n != 1 and lengths.get(name, 1) not in (1, n):
                raise ValueError(term)
            lengths[name] = n if lengths.get(name, 1) == 1 else lengths[name]
    return lengths


def _distinct(term: str, array: Any, lengths: dict[str, int]) -> Term:
    """An array without broadcast axes of length 1, and with the diagonal of repeated axes."""
    short = [n == 1 and lengths[name] != 1 for name, n in zip(term, np.shape(array), strict=True)]
    if any(short):
        term = "".join(name for name, drop in zip(term, short, strict=True) if not drop)
        kept = tuple(n for n, drop in zip(np.shape(array), short, strict=True) if not drop)
        array = RESHAPE(array, shape=kept, order="C")
    names = "".join(dict.fromkeys(term))
    if names != term and names == term[:-1] and term[-1] == term[-2] and _lies_whole(array):
        by_rows = array if plain_value(array).flags.c_contiguous else np.swapaxes(array, -1, -2)
        array = diagonal(by_rows, 0, -2, -1)  # a view, as NumPy's
    elif names != term:
        shapes = {name: tuple(-1 if name == other else 1 for other in names) for name in names}
        array = INDEX(array, key=tuple(np.reshape(integers_like(array, lengths[name]), shapes[name]) for name in term))
    return names, array


def _lies_whole(array: Any) -> bool:
    flags = plain_value(array).flags
    return bool(flags.c_contiguous or flags.f_contiguous)


def _order(text: str, arrays: Sequence[Any], optimize: Any) -> list[tuple[int, ...]]:
    """The arrays to combine in each step."""
    if len(arrays) < 3:
        return [tuple(range(len(arrays)))]
    how = "greedy" if optimize is False or optimize is True else optimize
    shapes = (np.broadcast_to(0.0, np.shape(array)) for array in arrays)
    return list(np.einsum_path(text, *shapes, optimize=how)[0][1:])


def _contracted(terms: list[Term], output: str, order: Sequence[tuple[int, ...]]) -> Any:
    for step in order:
        taken = [terms[n] for n in step]
        terms = [term for n, term in enumerate(terms) if n not in step]
        wanted = {*output}.union(*(names for names, _ in terms))
        terms.append(reduce(_joining(wanted, [names for names, _ in taken]), taken))
    names, array = _summed(terms[0], {*output})
    return array if names == output else TRANSPOSE(array, axes=tuple(names.index(name) for name in output))


def _joining(wanted: set[str], names: list[str]) -> Callable[[Term, Term], Term]:
    """The function that combines two arrays and sums over axes that neither the rest nor the result needs."""
    rest = names[2:]

    def join(left: Term, right: Term) -> Term:
        kept = wanted.union(*rest)
        del rest[:1]
        left, right = _summed(left, kept | {*right[0]}), _summed(right, kept | {*left[0]})
        output = "".join(name for name in dict.fromkeys(left[0] + right[0]) if name in kept)
        return output, EINSUM(left[1], right[1], names=(left[0], right[0], output))

    return join


def _summed(term: Term, kept: set[str]) -> Term:
    """An array summed over the axes that no other array has."""
    names, array = term
    alone = tuple(n for n, name in enumerate(names) if name not in kept)
    if not alone:
        return term
    return "".join(name for name in names if name in kept), SUM(array, axis=alone, keepdims=False)
