"""What leaves a call of the library: exceptions of the user's code, with the user's frames alone."""

from __future__ import annotations

import math
import traceback

import pytest

import gradcli


def divided(x):
    return 1 / (x - 3)


@pytest.mark.parametrize(
    ("f", "x"), [(divided, 3.0), (lambda x: math.exp(x), 1e4), (lambda x: x**-1, 0.0), (lambda x: math.log(x), 0.0)]
)
@pytest.mark.parametrize(
    "call",
    [lambda f, x: gradcli.grad(f)(x), lambda f, x: gradcli.jacobian(f)(x), lambda f, x: gradcli.check(f, at=x)],
    ids=["grad", "jacobian", "check"],
)
def test_what_arithmetic_raises_shows_the_lines_of_the_program(call, f, x):
    with pytest.raises((ArithmeticError, ValueError)) as caught:
        call(f, x)
    files = {frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)}
    assert files == {__file__}
