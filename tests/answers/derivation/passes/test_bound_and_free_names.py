"""The names that statements bind and read."""

import ast

import pytest

from gradcli.answers.derivation.passes.bound_and_free_names import always_bound, free_names, read_first


def statements(text):
    return ast.parse(text).body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = a\ny = x", {"a"}),
        ("x += a", {"x", "a"}),
        ("if c:\n    x = a\nelse:\n    x = b\ny = x", {"a", "b", "c"}),
        ("if c:\n    x = a\ny = x", {"a", "c", "x"}),
        ("for i in n:\n    x = i\ny = x", {"n", "x"}),
        ("while x < a:\n    x = x + 1.0", {"a", "x"}),
    ],
)
def test_names_read_before_they_are_bound(text, expected):
    assert read_first(statements(text)) == expected


def test_names_that_are_not_bound():
    assert free_names(statements("y = x\nx = f(lambda z: z + a)")) == {"f", "a"}


def test_names_bound_on_every_path():
    assert always_bound(statements("x = a\nif c:\n    y = x\nfor i in n:\n    w = i\nz = x")) == {"x", "z"}
