"""The file of a derived program."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import gradcli
from gradcli.errors import UsageError


@pytest.mark.parametrize(("lang", "ending"), [("python", "py"), ("c", "c"), ("latex", "tex"), ("numba", "py")])
def test_saving(lang, ending, tmp_path):
    """A file in another language is refused, and so is one that gradcli did not derive."""
    source = gradcli.derive("x*x", at=2.0, lang=lang)
    for _ in range(2):
        source.save(tmp_path / f"square.{ending}")
    (tmp_path / f"mine.{ending}").write_text("mine")

    assert str(source) == (tmp_path / f"square.{ending}").read_text(encoding="utf-8")
    for refused in (f"mine.{ending}", "square.c" if lang != "c" else "square.tex"):
        with pytest.raises(UsageError):
            source.save(tmp_path / refused)


DERIVING = """
import gradcli
from tests.answers.derivation import array_programs
for lang in ("python", "c"):
    print(gradcli.derive(array_programs.recurrent, at=array_programs.PROGRAMS[array_programs.recurrent][0], lang=lang))
"""


@pytest.mark.long
def test_the_text_is_the_same_in_every_process():
    """The order of its lines does not depend on the seed with which Python hashes names."""
    command = [sys.executable, "-c", DERIVING]
    texts = {
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    }

    assert len(texts) == 1


def two_layers(x, w_first, b_first, w_second, b_second):
    h = np.tanh(x @ w_first + b_first)
    o = h @ w_second + b_second
    return np.mean(o**2)


def test_a_long_tuple_has_an_item_a_line():
    point = (np.ones((1, 2)), np.ones((2, 2)), np.ones(2), np.ones((2, 1)), np.ones(1))

    text = str(gradcli.derive(two_layers, at=point))

    assert text.endswith(
        "    return (\n"
        "        s_2 @ w_first.T,\n"
        "        x.T @ s_2,\n"
        "        sum_to(s_2, np.shape(b_first)),\n"
        "        h.T @ s_o,\n"
        "        sum_to(s_o, np.shape(b_second)),\n"
        "    )\n"
    )


def bound_anew(x, w):
    """Give a parameter a further value."""
    k = math.sin(w * x)
    x = x + k
    return x * w * k


def named_again(x, w):
    """Add to a second name of a parameter."""
    y = x
    for _ in range(3):
        y += 0.1 * math.sin(w)
    return y * x


def of_two(x, w):
    """Make parameters the sensitivities of each other, to which more is added."""
    return x * w + math.sin(x) * w + x * math.cos(w)


def in_a_branch(x, w):
    """Add to a parameter in a branch."""
    if w > 0.0:
        x -= w
    return x * x * w


def in_a_called_function(x, w):
    """Let a called function add to its argument."""
    return bound_anew(x, w) * x


def item_of_a_list(c, w):
    """Add to a name of an item of a parameter."""
    p = c[0]
    for k in range(1, len(c)):
        p = p + w * c[k]
    return p * c[0]


def items_in_a_loop(c, w):
    """Add to the items over which a loop runs."""
    total = 0.0
    for v in c:
        v = v + w
        total = total + v * c[0]
    return total


def unpacked(c, w):
    """Add to a name that takes an item of a parameter."""
    a, b = c
    a = a + w * b
    return a * b * c[0]


def returned_item(c, w):
    """Add to what a called function returns of its argument."""
    y = first(c)
    y = y + w
    return y * c[0]


def first(c):
    """Return an item of the argument."""
    return c[0]


def sums_of_items(c, w):
    """Make items the sensitivities, to which more is added."""
    y = w * w
    return y * c[0] + y * c[1]


def squeezed(x, w):
    """Add to what NumPy returns of a number."""
    t = np.squeeze(x)
    t = t + w
    return t * x


@pytest.mark.parametrize("function", [squeezed, bound_anew, named_again, of_two, in_a_branch, in_a_called_function])
def test_an_array_without_axes_is_a_number_that_does_not_change(function):
    """The program may be called with one where it was derived with a number."""
    x, w = np.array(0.5), np.array(1.2)
    derived = gradcli.derive(function, at={"x": 0.5, "w": 1.2}, value=True).function

    value, gradient = derived(x, w)

    assert (value, *gradient) == pytest.approx((function(0.5, 1.2), *gradcli.grad(function, (0, 1))(0.5, 1.2)))
    assert (x, w) == (0.5, 1.2)


@pytest.mark.parametrize("function", [item_of_a_list, items_in_a_loop, unpacked, returned_item, sums_of_items])
def test_an_array_without_axes_in_a_list_does_not_change(function):
    """The same of the items of a list."""
    c, w = [np.array(0.5), np.array(1.2)], np.array(0.3)
    derived = gradcli.derive(function, at={"c": [0.5, 1.2], "w": 0.3}, value=True).function
    by_items, by_w = gradcli.grad(function, (0, 1))([0.5, 1.2], 0.3)

    value, (items, last) = derived(c, w)

    assert (value, *items, last) == pytest.approx((function([0.5, 1.2], 0.3), *by_items, by_w))
    assert (c, w) == ([0.5, 1.2], 0.3)
