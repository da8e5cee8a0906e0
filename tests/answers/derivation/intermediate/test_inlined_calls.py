"""Programs in languages in which the statements of a called function stand at its call."""

import math

import pytest

import gradcli


def square(x, scale=1.0):
    return scale * x * x


def called_in_one_branch(b):
    a = b
    if b > 1.0:
        a = square(b)
    return a * b


def called_in_the_other_branch(b):
    if b > 1.0:
        a = 2.0 * b
    else:
        a = square(b, scale=b)
    return a


def called_in_both(b):
    if b > 1.0:
        a = square(math.sin(b))
    else:
        a = square(b) + square(2.0, scale=b)
    return a


def stored_in_a_branch(b):
    a = [b, b]
    if b > 1.0:
        a[0] = square(b)
    return a[0] * a[1]


def called_in_a_loop(b):
    a = b
    for k in range(3):
        if k > 1:
            a = square(a) + k
    return a


def called_twice_deep(b):
    a = b
    if b > 0.1:
        if b > 1.0:
            a = square(square(b))
        else:
            a = square(b)
    return a


RATE = 3.0


def scaled_by(factor):
    def scaled(x):
        a = factor * x
        return a * RATE

    return scaled


DOUBLED, TRIPLED = scaled_by(2.0), scaled_by(3.0)


def names_of_both_functions(b):
    a, RATE = b * b, math.sin(b)
    c = DOUBLED(b)
    return a * c * RATE


def one_name_of_two_values(b):
    return DOUBLED(b) * TRIPLED(b)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("lang", ["c", "latex"])
@pytest.mark.parametrize("at", [0.3, 1.3])
@pytest.mark.parametrize(
    "function",
    [
        called_in_one_branch, called_in_the_other_branch, called_in_both, stored_in_a_branch, called_in_a_loop,
        called_twice_deep, names_of_both_functions, one_name_of_two_values,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_a_call_in_a_branch(function, at, lang):
    """The way back reads the parameters in its own branch."""
    derived = gradcli.derive(function, at=at, lang=lang)

    assert derived.function(at) == pytest.approx(
        (gradcli.value_and_grad if lang == "latex" else gradcli.grad)(function)(at), rel=1e-12
    )
