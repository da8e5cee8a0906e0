"""Functions, constants and subscripts as NumPy."""

import numpy as np
import pytest

from gradcli.answers.explain.numpy_names_and_constants import Symbols, Writer


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


@pytest.mark.parametrize(
    ("expected", "names"),
    [
        (["s_cd", "s_x"], ["t_cd", "x"]),
        (["s_x", "s_x#2", "s_x[0]", "s_p.w"], ["x", "x#2", "x[0]", "p.w"]),
        (["s__a", "s_s_a", "s_t_a"], ["a", "s_a", "t_a"]),
        (["s_t_a", "s_a"], ["t_a", "a"]),
        (["s_%3", "s_(x^2)", "s_(sin(x))"], ["%3", "x^2", "sin(x)"]),
        (["s___x", "s_s_x", "s_s__x"], ["x", "s_x", "s__x"]),
    ],
)
def test_sensitivities(expected: list[str], names: list[str]) -> None:
    """The seeds' names, and others where two would be alike, or like a quantity."""
    symbols = Symbols("s", names)

    assert [symbols.of(name) for name in names] == expected
    assert len(set(expected)) == len(expected)


def test_tangents() -> None:
    assert [Symbols("d", ["x", "d_x"]).of(name) for name in ("x", "d_x")] == ["d__x", "d_d_x"]
