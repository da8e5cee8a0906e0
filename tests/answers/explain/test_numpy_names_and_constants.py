"""Functions, constants and subscripts as NumPy."""

import numpy as np
import pytest

from gradcli.answers.explain.numpy_names_and_constants import Writer


def test_a_function_that_a_name_hides() -> None:
    writer = Writer(["sum", "x#2", "linalg", "erf", "vjp"])

    assert writer.call("sin", "x")[0] == "sin(x)"
    assert ["np.sum", "np.linalg.inv", "special.erf", "gradcli.vjp"] == [
        writer.function(name) for name in ("sum", "linalg.inv", "erf", "vjp")
    ]


def test_constants() -> None:
    """Small ones are written out, others called by their name, or by one of ours."""
    table = np.arange(6.0)
    writer = Writer(["x"], {"TABLE": table, "x": np.ones(7)})

    assert [writer.constant(value)[0] for value in (-2.5, np.array([1, 2]))] == ["-2.5", "array([1, 2])"]
    assert ["TABLE", "%c1", "%c2", "%c1"] == [
        writer.constant(value)[0] for value in (table + 0, np.ones(7), np.arange(6), np.ones(7))
    ]
    assert list(writer.constants) == ["TABLE", "%c1", "%c2"]


@pytest.mark.parametrize(
    ("expected", "key"),
    [
        ("1:", slice(1, None)),
        ("::-1, None, ..., 2", (slice(None, None, -1), None, Ellipsis, 2)),
        ("[0, 2], 1", ([0, 2], np.int64(1))),
        ("[True, False]", np.array([True, False])),
        ("[1, 2]", ((1, 2),)),
        ("()", ()),
    ],
)
def test_subscripts(expected: str, key: object) -> None:
    assert Writer().key(key) == expected
