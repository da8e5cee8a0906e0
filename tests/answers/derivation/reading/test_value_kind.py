"""The kinds of values."""

import numpy as np
import pytest

from gradcli.answers.derivation.reading.value_kind import MIXED, NUMBER, OTHER, STATIC, ValueKind, items_in, kind_of


@pytest.mark.parametrize(
    ("value", "item"),
    [
        ([], None),
        ([1.0, 2.0], NUMBER),
        ([1, True, None], STATIC),
        ([1, np.int64(2), 3.0], NUMBER),
        ((np.float64(1.0), 2), NUMBER),
        ([np.float32(1.0), 2], NUMBER),
        ([1.0, "a"], NUMBER),
        ([1.0, object()], OTHER),
        ([[1, 2], [3.0]], ValueKind("list", item=NUMBER)),
        ([np.ones(2), np.ones(3)], ValueKind("array", 1)),
    ],
)
def test_the_kind_of_the_items_of_a_list(value, item):
    assert ValueKind("list", item=item) == kind_of(value)


def test_the_kinds_of_the_items_of_a_list_of_several_kinds():
    kinds = ((0, NUMBER), (1, ValueKind("list", item=NUMBER)))

    assert ValueKind("list", item=MIXED, fields=kinds) == kind_of([1.0, [2.0]])


@pytest.mark.parametrize(
    ("value", "expected"), [(1.0, 0), ([], 0), ([1, 2], 2), ([[1, 2], [3, 4]], 4), ([[]], 1), (np.ones(9), 0)]
)
def test_the_items_to_examine(value, expected):
    assert items_in(value) == expected
