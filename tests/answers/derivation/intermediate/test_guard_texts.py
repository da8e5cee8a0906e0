"""Constants and indices as text."""

import ast

import numpy as np
import pytest

from gradcli.answers.derivation.intermediate.guard_texts import bracketed, expression, key_text
from gradcli.errors import UnsupportedError

KEYS = [
    (2, "2", "x[2]"),
    ((0, -1), "(0, -1)", "x[0, -1]"),
    (slice(1, None), "slice(1, None, None)", "x[1:]"),
    ((slice(None, 3, 2), 1), "(slice(None, 3, 2), 1)", "x[:3:2, 1]"),
    ((..., 0), "(..., 0)", "x[..., 0]"),
]


@pytest.mark.parametrize(("key", "text", "place"), KEYS, ids=[text for _, text, _ in KEYS])
def test_an_index(key, text, place):
    found = ast.Subscript(ast.Name("x", ast.Load()), expression(key_text(key)), ast.Load())

    assert text == key_text(key)
    assert place == ast.unparse(bracketed(found))


@pytest.mark.parametrize(
    ("key", "expected"),
    [(np.float32, "np.float32"), (np.dtype(int), "np.int64"), (float, "float"), (np.median, "np.median")],
)
def test_a_type_or_function(key, expected):
    assert key_text(key) == expected


def test_what_has_no_text():
    with pytest.raises(UnsupportedError, match="a constant of type object"):
        key_text(object())
