"""Nested numbers: taken apart and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

from gradcli.tape.structure import leaves, map_leaves

Pair = namedtuple("Pair", "a b")

STRUCTURES = [
    (2, 4, [2]),
    ([1, 2], [2, 4], [1, 2]),
    ((1, [2, (3,)]), (2, [4, (6,)]), [1, 2, 3]),
    ({"a": 1, "b": {"c": [2]}}, {"a": 2, "b": {"c": [4]}}, [1, 2]),
    (Pair(1, [2]), Pair(2, [4]), [1, 2]),
    ([], [], []),
    ({}, {}, []),
    (OrderedDict(b=1, a=2), OrderedDict(b=2, a=4), [1, 2]),
    ([[1], [], ({},)], [[2], [], ({},)], [1]),
]


@pytest.mark.parametrize(("structure", "doubled", "flat"), STRUCTURES)
def test_structures(structure, doubled, flat):
    """Each leaf in its place, and all of them in order."""
    found = map_leaves(lambda x: 2 * x, structure)

    assert (doubled, type(doubled)) == (found, type(found))
    assert flat == leaves(structure)


def test_a_dictionary_with_defaults_keeps_them():
    """A kind of dictionary stays what it is, and the original is left alone."""
    original = defaultdict(list, a=1)
    found = map_leaves(lambda x: 2 * x, original)

    assert ({"a": 2}, []) == (dict(found), found["new"])
    assert {"a": 1} == original


def test_arrays_are_leaves():
    """As are all other things."""
    array = np.ones(2)

    assert [array, "ab", None] == leaves({"x": (array, "ab"), "y": None})
