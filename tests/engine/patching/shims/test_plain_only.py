"""C code that accepts plain numbers only: its error changes no result in silence, if the program catches it."""

import contextlib
import datetime
import json
import marshal
import time
from decimal import Decimal, InvalidOperation

import numpy as np
import pytest

import gradcli
from gradcli.errors import DetachedError

HALF = Decimal("0.5")


def exact(x):
    try:
        return x * float(Decimal(x))
    except TypeError:
        return 0.5 * x


def by_class_method(x):
    try:
        return x * float(Decimal.from_float(x))
    except (TypeError, ValueError):
        return 0.5 * x


def imported_inside(x):
    """Imports the type itself."""
    try:
        from decimal import Decimal as Exact

        return x * float(Exact(x) * 2)
    except Exception:
        return 0.5 * x


def in_a_helper(x):
    """Catches the error of a helper."""

    def converted(y):
        return float(Decimal(y))

    with contextlib.suppress(TypeError):
        return x * converted(x)
    return 0.5 * x


def by_keyword(x):
    try:
        return datetime.timedelta(seconds=x).total_seconds() * x
    except TypeError:
        return 0.5 * x


def as_json(x):
    try:
        return x * len(json.dumps({"x": [x]}))
    except TypeError:
        return 0.5 * x


def as_bytes(x):
    try:
        return x * len(marshal.dumps(x))
    except ValueError:
        return 0.5 * x


def asleep(x):
    """Waits."""
    try:
        time.sleep(0 * x)
        return x * x
    except TypeError:
        return 0.5 * x


def of_an_array(v):
    try:
        return v[1] * float(Decimal(v[0]))
    except TypeError:
        return v[0]


CAUGHT = [exact, by_class_method, imported_inside, in_a_helper, by_keyword, as_json, as_bytes, asleep, of_an_array]


@pytest.mark.parametrize("f", CAUGHT, ids=lambda f: f.__name__)
def test_a_caught_error_that_plain_numbers_do_not_raise_is_refused(f):
    with pytest.raises(DetachedError, match="accepts plain numbers but not recorded values") as caught:
        gradcli.grad(f)(np.array([2.0, 3.0]) if f is of_an_array else 2.0)

    assert ("G906", __file__) == (caught.value.code, caught.value.file)
    assert f.__code__.co_firstlineno < caught.value.line <= f.__code__.co_firstlineno + 7


def test_an_error_without_consequences_is_none():

    def f(x):
        try:
            key = json.dumps(x)
        except TypeError:
            key = None
        return x * x + 0.0 * (key is None)

    assert gradcli.grad(f)(3.0) == 6.0


def test_an_error_of_the_programs_own():

    def f(x):
        try:
            return x * float(Decimal([]))
        except ValueError:
            pass
        try:
            return x * float(Decimal("nothing"))
        except InvalidOperation:
            return x * x

    assert gradcli.grad(f)(3.0) == 6.0


def test_what_plain_numbers_give():
    """Types, instances and their arithmetic are what they were."""

    def f(x):
        found = Decimal("0.25") + HALF
        assert isinstance(found, Decimal)
        assert isinstance(HALF, Decimal)
        assert type(found) is Decimal
        assert issubclass(Decimal, object)
        assert (
            datetime.timedelta(1)
            == datetime.timedelta(hours=24)
            == datetime.datetime(2000, 1, 2) - datetime.datetime(2000, 1, 1)
        )
        assert Decimal("0.5") == Decimal.from_float(0.5)
        assert "[1, 2.5]" == json.dumps([1, 2.5])
        return x * float(found) + float(Decimal("1.5")) * x

    assert gradcli.grad(f)(3.0) == 2.25


def test_an_error_that_the_program_does_not_catch():
    """It is the error of the program's own line, with the recorded value called what it is."""
    with pytest.raises(DetachedError, match="conversion from recorded float to Decimal is not supported"):
        gradcli.grad(lambda x: float(Decimal(x)))(2.0)


def test_a_plain_number_of_the_recorded_one():
    assert gradcli.grad(lambda x: x * float(Decimal(gradcli.stop_gradient(x))))(2.0) == 2.0
