"""Where an array was made that is written into."""

import sys

import numpy as np
import pytest

from gradcli.engine.code.written_array_origins import written_into
from gradcli.errors import DetachedError
from gradcli.methods.transforms.gradients import grad
from tests.engine.running.test_error_translation import line_of

BUFFER = np.zeros(4, int)


def into_a_global(x):
    """By a slice."""
    BUFFER[:2] = x
    return BUFFER.sum()


def through_a_view(x):
    """By an attribute."""
    BUFFER.T[0] = x
    return BUFFER.sum()


def as_out(x):
    """By a ufunc."""
    np.multiply(x, np.ones(4), out=BUFFER)
    return BUFFER.sum()


def into_a_local(x):
    """A part of what others hold."""
    w = BUFFER[1:]
    w[0] = x
    return w.sum()


def into_an_argument(x, w=np.zeros(4)):  # noqa: B008 - what is tested
    """A default."""
    w[0] = x
    return w.sum()


def enclosing():
    """A function that writes into a variable of the one around it."""
    cell = np.ones(3)
    held = (cell,)

    def inside(x):
        cell[0] += x
        return cell.sum() + len(held)

    return inside


MADE = f"BUFFER was created in line {into_a_global.__code__.co_firstlineno - 3}, `BUFFER = np.zeros(4, int)`"


@pytest.mark.parametrize(
    ("function", "written", "made"),
    [
        (into_a_global, 2, MADE),
        (through_a_view, 2, MADE),
        (as_out, 2, MADE),
        (into_a_local, 3, f"w was created in line {line_of(into_a_local, 2)}, `w = BUFFER[1:]`"),
        (into_an_argument, 2, "w was created outside the function, with plain numbers"),
        (enclosing(), 1, f"cell was created in line {line_of(enclosing, 2)}, `cell = np.ones(3)`"),
    ],
    ids=["global", "view", "out", "local", "argument", "enclosing"],
)
def test_a_refused_write_names_both_lines(function, written, made):
    """The one that writes, and the one that made the array."""
    with pytest.raises(DetachedError, match="written into an array of plain numbers") as caught:
        grad(function)(2.0)

    assert line_of(function, written) == caught.value.line
    assert caught.value.message.endswith(f"so its derivative would be lost: {made}")


def into_whole_numbers(x):
    """In place, where NumPy would cut off what is no whole number."""
    a = np.arange(3)
    a += x
    return a.sum()


@pytest.mark.parametrize(("function", "said"), [
    (into_a_local,
        f"Write `w = np.array(..., dtype=float)` around the expression in line {line_of(into_a_local, 2)}"),
    (into_whole_numbers,
        f"`a = np.array(..., dtype=float)` around the expression in line {line_of(into_whole_numbers, 2)}"),
    (into_a_global, "Create that array inside the function, with `np.zeros(n)`"),
])  # fmt: skip
def test_what_to_write_is_said(function, said):
    with pytest.raises(DetachedError) as caught:
        grad(function)(2.0)
    assert said in caught.value.hint


def test_without_a_source_nothing_is_told():
    names: dict[str, object] = {"frame": sys._getframe}
    exec("def f():\n    return frame()\nfound = f()", names)

    assert written_into(names["found"], 2) is None  # type: ignore[arg-type]
