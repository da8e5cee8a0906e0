"""The kinds of values."""

import random

import numpy as np
import pytest

from gradcli.answers.derivation.reading import value_kind
from gradcli.answers.derivation.reading.value_kind import (
    MIXED,
    NUMBER,
    OTHER,
    STATIC,
    KnownLists,
    ValueKind,
    items_in,
    kind_again,
    kind_of,
    merged,
)


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


ITEMS = (1.0, 2, (1.0, 2), (1.0, np.ones(3)), np.ones(2), [1.0], [np.ones(2)], None)


@pytest.mark.parametrize("seed", range(8))
def test_the_kind_of_a_long_list_that_changes(seed):
    """It covers that of all its items, however the list was changed since it was last seen."""
    chance = random.Random(seed)
    known: KnownLists = {}
    grown = [1.0] * 60
    for _ in range(100):
        change = chance.choice(
            (grown.append, grown.append, lambda item: grown.pop(), lambda item: exchange(grown, item))
        )
        for _ in range(chance.randint(1, 3)):
            change(chance.choice(ITEMS[: 2 + seed]))
        kind = kind_again(grown, known)
        assert merged(kind, kind_of(grown)) == kind


def exchange(items, item):
    items[len(items) // 2] = item


def test_a_long_list_is_examined_once(monkeypatch):
    stack, known, examined = [(1.0, 2)] * 60, KnownLists(), []
    kind_again(stack, known)
    monkeypatch.setattr(value_kind, "kind_of", lambda value, depth=0: examined.append(value) or kind_of(value, depth))

    for _ in range(1000):
        stack.append((1.0, 3))
        kind_again(stack, known)

    assert len(examined) < 10 * 1000
