"""A call is derived through only if it can reach no other function than the observed one."""

import math

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases


class Damper:
    """A force with a coefficient."""

    def __init__(self, coefficient):
        self.coefficient = coefficient

    def power(self, v):
        return self.coefficient * v**2

    def __call__(self, v):
        return self.coefficient * v**3


LIGHT, HEAVY = Damper(1.5), Damper(4.0)
DAMPERS = [LIGHT, HEAVY]
CURVES = {"sine": math.sin, "cosine": math.cos}
STEPS = {"floor": np.floor, "root": np.sqrt}


def chosen_by_a_condition(v):
    damper = LIGHT if v < 50 else HEAVY
    return damper.power(v)


def chosen_by_an_index(v):
    return DAMPERS[min(int(v // 50), 1)].power(v)


def made_of_a_condition(v):
    damper = Damper(2.0 if v > 50 else 0.5)
    return damper.power(v)


def made_of_an_input(v, k):
    return Damper(k).power(v)


def made_in_a_loop(v):
    total = 0.0
    for n in range(3):
        total += Damper(float(n)).power(v)
    return total


def rebound(v):
    damper = LIGHT
    for _ in range(2):
        v = damper.power(v)
        damper = HEAVY
    return v


def looked_up(v, kind="sine"):
    return CURVES[kind](v)


def rounded_by_choice(v, kind="floor"):
    return STEPS[kind](v) * 1.0 + v


def callable_by_an_index(v):
    return DAMPERS[int(v > 50)](v)


def passed_by_an_index(v, n=0):
    return applied(DAMPERS[n], v)


def applied(f, v):
    return f(v) * 2.0


@pytest.mark.parametrize(
    ("function", "at"),
    [
        (chosen_by_a_condition, 2.0),
        (chosen_by_an_index, 2.0),
        (rebound, 2.0),
        (looked_up, {"v": 2.0}),
        (rounded_by_choice, {"v": 2.0}),
        (callable_by_an_index, 2.0),
    ],
)
def test_a_callee_that_the_program_chooses_is_refused(function, at):
    with pytest.raises(UnsupportedError, match=r"chosen or made while the program runs|different values of the name"):
        gradcli.derive(function, at=at)


@pytest.mark.parametrize(
    ("function", "at", "elsewhere"),
    [
        (made_of_a_condition, {"v": 2.0}, (60.0,)),
        (made_of_an_input, {"v": 2.0, "k": 3.0}, (5.0, 7.0)),
        (made_in_a_loop, {"v": 2.0}, (3.0,)),
        (passed_by_an_index, {"v": 2.0}, (2.0, 1)),
    ],
)
def test_a_method_of_an_object_of_one_class_is_derived_whatever_the_object_holds(function, at, elsewhere):
    derived = gradcli.derive(function, at=at).function
    numbers = tuple(range(len(at))) if len(at) > 1 else 0

    for point in (tuple(at.values()), elsewhere):
        assert derived(*point) == pytest.approx(gradcli.grad(function, numbers)(*point), rel=1e-12)


def of_a_held_object(v):
    return DAMPERS[1].power(v) * math.sin(v)


def of_an_alias(v):
    damper = Damper(2.5)
    sine = math.sin
    return sine(v) * damper.power(v)


def of_a_function_handed_on(v):
    return applied(math.sin, v) + recursive(math.sin, v, 2)


def recursive(f, v, n):
    return f(v) if n == 0 else recursive(f, v * 0.5, n - 1)


@pytest.mark.parametrize("function", [of_a_held_object, of_an_alias, of_a_function_handed_on])
@pytest.mark.parametrize("v", [2.0, 90.0])
def test_a_callee_that_is_the_same_everywhere_is_derived(function, v):
    derived = gradcli.derive(function, at=2.0).function

    assert derived(v) == pytest.approx(gradcli.grad(function)(v), rel=1e-12)


def or_input(v, n=3):
    scale = n or v
    return scale * v


def and_input(v, n=0):
    return v + (n and v)


@pytest.mark.parametrize("function", [or_input, and_input])
def test_a_choice_of_which_no_run_saw_one_value_is_refused(function):
    with pytest.raises(UnsupportedError, match=r"n (or|and) v"):
        gradcli.derive(function, at={"v": 2.0})
