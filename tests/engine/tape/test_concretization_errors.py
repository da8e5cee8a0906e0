"""Leaks: where a recorded value would lose its derivative the run is given up, whatever the code around it does."""

import array
import ctypes
import datetime
import decimal
import fractions
import json
import linecache
import marshal
import random
import struct
import sys
import threading
import time

import mpmath
import numpy as np
import pytest
import sympy

import gradcli
from gradcli import grad, trace
from gradcli.engine.tape.concretization_errors import Leak
from gradcli.errors import DetachedError, UnsupportedError

C_FUNCTIONS = {
    "array.array": lambda x: array.array("d", [x])[0],
    "struct.pack": lambda x: struct.unpack("d", struct.pack("d", x))[0],
    "ctypes": lambda x: ctypes.c_double(x).value,
    "decimal": lambda x: float(decimal.Decimal(x) * 2),
    "decimal.from_float": lambda x: float(decimal.Decimal.from_float(x)),
    "fractions": lambda x: fractions.Fraction(x) * 2,
    "fractions on the left": lambda x: x if fractions.Fraction(1, 3) < x else -x,
    "json": lambda x: json.loads(json.dumps({"x": [x]}))["x"][0],
    "marshal": lambda x: marshal.loads(marshal.dumps(x)),
    "float.__add__": lambda x: float.__add__(x, 1.0),
    "timedelta": lambda x: datetime.timedelta(seconds=x).total_seconds(),
    "sleep": lambda x: (time.sleep(x / 1e6), x)[1],
    "numpy.random": lambda x: np.random.default_rng(1).normal(x, 1.0),
    "numpy.ndarray.sum": lambda x: np.ndarray.sum(np.array([x, x])),
    "buffer": lambda x: np.frombuffer(np.array([x, x]))[0],
    "memoryview": lambda x: memoryview(np.array([x])).tolist()[0],
    "mpmath": lambda x: float(mpmath.sin(x)),
    "mpmath on the left": lambda x: float(mpmath.mpf(2) * x),
    "mpmath on the right": lambda x: float(x * mpmath.mpf(2)),
    "sympy": lambda x: float(sympy.sin(x)),
    "sympy on the left": lambda x: float(sympy.Float(2) * x),
    "sympy.subs": lambda x: float((sympy.Symbol("t") ** 2).subs("t", x)),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [pytest.param(f, id=name) for name, f in C_FUNCTIONS.items()])
def test_what_takes_a_bare_number_is_refused(f):
    """Never a silent zero: G402, or G906 where C code raised an error of its own; at the user's line."""
    assert isinstance(float(f(0.5)), float), "the plain run is fine"

    with pytest.raises(DetachedError) as caught:
        grad(lambda x: f(x) * x)(0.5)

    assert caught.value.code in ("G402", "G906")
    assert __file__ == caught.value.file
    assert "lambda" in linecache.getline(__file__, caught.value.line)


def test_the_line_is_the_users():
    """The innermost line of the user's own, not that of the library that he called."""

    def calls_library(x):
        y = x * 2
        return fractions.Fraction(y)

    with pytest.raises(DetachedError) as caught:
        grad(calls_library)(0.5)

    assert calls_library.__code__.co_firstlineno + 2 == caught.value.line
    assert "return fractions.Fraction(y)" in str(caught.value)


def test_the_message_says_what_to_do():
    with pytest.raises(DetachedError) as caught:
        grad(lambda x: array.array("d", [x])[0])(0.5)

    expected = "a recorded value is converted to a plain number (float), so its derivative would be lost"
    assert caught.value.message == expected
    assert "gradcli.stop_gradient(x)" in caught.value.hint
    assert "gradcli help G402" in caught.value.hint


@pytest.mark.parametrize(
    "swallow",
    [
        lambda x: struct.pack("d", x),  # makes an error of its own of ours
        lambda x: array.array("d", [x]),
    ],
)
def test_a_leak_cannot_be_swallowed(swallow):
    """Neither by C code that makes another error of it, nor by a bare `except` of the user's."""

    def f(x):
        try:
            swallow(x)
        except:  # noqa: E722 - as users write it
            return 0.0
        return 1.0

    with pytest.raises(DetachedError):
        grad(f)(0.5)


def test_a_leak_that_was_swallowed_is_still_answered():
    """The run is repeated with names replaced, also where the program caught the leak."""

    def f(x):
        try:
            return float(x) * 2
        except BaseException:
            return 0.0

    assert grad(f)(0.5) == 2.0


def test_a_write_into_a_plain_array_is_refused_with_the_way_out():
    """The array is the caller's or was made elsewhere: a copy made here can be written to."""
    weights = np.ones(3, int)

    def writes(x):
        w = weights[:]
        w[0] = x
        return w.sum()

    with pytest.raises(DetachedError, match="written into an array of plain numbers") as caught:
        grad(writes)(0.5)

    assert writes.__code__.co_firstlineno + 2 == caught.value.line
    assert "`a = np.array(a, dtype=float)`" in caught.value.hint
    np.testing.assert_array_equal([1.0, 1.0, 1.0], weights)


def test_an_update_in_place_of_a_plain_array_is_refused():
    """`w *= x` would write the bare numbers into an array that is seen elsewhere too."""
    weights = (np.ones(3),)

    def writes(x):
        w = weights[0][:2]
        w *= x
        return w.sum()

    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        grad(writes)(0.5)
    np.testing.assert_array_equal([1.0, 1.0, 1.0], weights[0])


def test_another_thread_cannot_leak():
    caught = []

    def f(x):
        def work():
            try:
                np.sum((x,))
            except DetachedError as error:
                caught.append(error.line)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return x * x

    assert grad(f)(2.0) == 4.0
    assert [f.__code__.co_firstlineno + 3] == caught


def test_no_leak_gets_out():
    """The signal inside is no exception that a user of the library ever sees."""
    for f in C_FUNCTIONS.values():
        for run in (grad, lambda f: grad(grad(f)), gradcli.jacobian, lambda f: lambda x: trace(f, x)):
            try:
                run(f)(0.5)
            except Leak:
                pytest.fail("a Leak got out")
            except gradcli.GradcliError:
                pass


def test_numbers_drawn_at_random_follow_their_parameters():
    """Python's own generator is written in Python: what it computes is recorded."""
    gauss = grad(lambda mu, sigma: random.Random(1).gauss(mu, sigma), (0, 1))(0.5, 2.0)

    assert pytest.approx((1.0, random.Random(1).gauss(0, 1))) == gauss
    assert pytest.approx(random.Random(1).random()) == grad(lambda b: random.Random(1).uniform(0.0, b))(2.0)


@pytest.mark.long
def test_what_compiled_code_prints_of_an_error_is_held_back(capfd):
    """MINPACK prints the traceback of what a function raises; a leak is an error of no one's, and ours to tell."""
    optimize = pytest.importorskip("scipy.optimize")
    hook = sys.excepthook

    def f(p):
        return optimize.leastsq(lambda x: x**2 - p, 1.0)[0][0]

    with pytest.raises(UnsupportedError, match=r"scipy\.optimize\.leastsq has no derivative rule"):
        grad(f)(2.0)
    assert capfd.readouterr() == ("", "")
    assert sys.excepthook is hook


def test_an_interrupt_leaves_no_hook():
    hook = sys.excepthook

    def f(x):
        try:
            return struct.pack("d", x)
        except BaseException:
            raise KeyboardInterrupt from None

    with pytest.raises(KeyboardInterrupt):
        grad(f)(1.0)
    assert sys.excepthook is hook
