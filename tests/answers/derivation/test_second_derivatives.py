"""A derived program, its stacks included, is derived again: the second derivative."""

import numpy as np
import pytest

import gradcli
from tests.answers.derivation import array_programs, language_programs, scalar_programs

pytestmark = pytest.mark.sampled(3)  # many like cases

PROGRAMS = {**scalar_programs.PROGRAMS, **language_programs.PROGRAMS, **array_programs.PROGRAMS}
WITH_STACKS = (
    scalar_programs.newton, scalar_programs.newton_until, scalar_programs.bisection, scalar_programs.collatz_like,
    language_programs.while_with_break_and_continue, language_programs.early_in_while_in_for,
    language_programs.integer_arithmetic, language_programs.continued_fraction,
)  # fmt: skip
OF_SEQUENCES = (
    scalar_programs.bubble_sort, scalar_programs.running_maximum, language_programs.augmented_items,
    language_programs.written_matrix, language_programs.sorted_by_insertion, array_programs.rows,
)  # fmt: skip


@pytest.mark.sampled(24)
@pytest.mark.parametrize("function", WITH_STACKS, ids=lambda f: f.__name__)
def test_in_reverse_mode_twice(function):
    (x,) = PROGRAMS[function][0]

    first = gradcli.derive(function, at=x)
    second = gradcli.derive(first.function, at=x)

    assert "stack" in first.text
    assert pytest.approx(gradcli.hessian(function)(x), rel=1e-9) == second.function(x)


@pytest.mark.sampled(18)
@pytest.mark.parametrize("function", [*WITH_STACKS, *OF_SEQUENCES], ids=lambda f: f.__name__)
def test_in_forward_mode_over_reverse_mode(function):
    (x,) = PROGRAMS[function][0]

    found = gradcli.derive(function, at=x, mode="hessian").function(x)

    assert np.allclose(np.array(gradcli.hessian(function)(x)), found, rtol=1e-9, atol=1e-12)


def scaled_slice(v):
    out = v + 0.0
    out[1:] *= v[0]
    return out @ v


def copied_slice(v):
    """A copy of a slice outlives what is written into it."""
    out = v + 0.0
    before = out[1:].copy()
    out[1:] = before * v[0]
    return before @ before + out @ v


def copied_whole(v):
    """A copy of an array outlives what is written into it."""
    out = v + 0.0
    before = out.copy()
    out *= v[0]
    return before @ out


def scaled_twice(v):
    """A slice that is written over in a loop."""
    out = v * 2.0
    for _ in range(2):
        out[1:3] = out[1:3] * v[0]
    return out @ out


@pytest.mark.parametrize("function", [scaled_slice, copied_slice, copied_whole, scaled_twice])
def test_a_copy_of_what_is_written_over(function):
    """Its tangent is a copy too, and not a view of a tangent that changes."""
    x, along = np.array([1.0, -0.5, 2.0]), np.array([0.3, -1.0, 0.7])

    forward = gradcli.derive(function, at=(x,), mode="forward").function
    second = gradcli.derive(function, at=(x,), mode="hessian").function

    assert gradcli.jvp(function, (x,), (along,))[1] == pytest.approx(forward(x, along), rel=1e-12)
    np.testing.assert_allclose(second(x), gradcli.hessian(function)(x), rtol=1e-12)


def mirrored_power(x, p):
    """A power of the magnitude, in two branches."""
    if x < 0:
        y = (-x) ** p
    else:
        y = x**p
    return y


def mirrored_log(x):
    """Both branches compute the same name."""
    size = 0.0
    if x > 0:
        size = np.log(x)
    if not x > 0:
        size = np.log(-x) * 2.0
    return size * x


@pytest.mark.parametrize(
    ("function", "at", "elsewhere"),
    [
        (mirrored_power, (1.3, 2.0), (-0.7, 2.5)),
        (mirrored_power, (-1.3, 3.0), (0.7, 3.0)),
        (mirrored_log, (1.3,), (-0.7,)),
    ],
)
def test_a_hessian_where_the_point_takes_another_branch(function, at, elsewhere):
    """Conditions of the same text are forced together, so that a run sees the whole of the other branch."""
    derived = gradcli.derive(function, at=at, mode="hessian", wrt=["x"]).function

    assert derived(*elsewhere) == pytest.approx(gradcli.hessian(function, 0)(*elsewhere), rel=1e-9)


def chosen(name, x):
    if name == "tanh":
        return np.tanh(x)
    return x * x


def of_calls_by_name(x):
    y = x
    for kind in ("tanh", "square", "tanh"):
        y = chosen(kind, y * 1.2)
    return y


def test_a_hessian_of_calls_in_a_loop():
    """What the forward functions keep, texts among numbers, carries a tangent through the stack."""
    derived = gradcli.derive(of_calls_by_name, at=0.8, mode="hessian").function

    assert derived(0.8) == pytest.approx(gradcli.hessian(of_calls_by_name)(0.8), rel=1e-12)


def over_keys(x):
    d = {"a": x, "b": 2.0}
    for key, value in d.items():
        d[key] = value * x
    return d["a"] * d["b"]


def test_a_hessian_of_a_loop_over_keys():
    """The derived gradient asserts which keys there are, and is read in its turn."""
    assert gradcli.derive(over_keys, at=1.5, mode="hessian").function(2.0) == 24.0


def pair(x, y):
    return x * y, np.sin(x) + y


def of_one_of_two_values(v):
    d = {"k": v[1], "v": v * 2.0}
    c, _ = pair(d["k"], 1.5)
    return c * 2.0 + np.sum(d["v"])


def of_two_values_of_a_record(v):
    d = {"k": 0.7, "v": v * v}
    c, b = pair(d["k"], 1.5)
    return b * c + np.sum(d["v"])


@pytest.mark.parametrize("function", [of_one_of_two_values, of_two_values_of_a_record])
def test_of_a_call_whose_sensitivities_are_constants(function):
    v = np.array([0.5, -0.3, 1.2])

    found = gradcli.derive(function, at=v, mode="hessian").function(v)

    assert np.allclose(gradcli.hessian(function)(v), found, rtol=1e-12)
