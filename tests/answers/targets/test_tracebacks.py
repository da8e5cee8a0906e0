"""Frames: the user's own are kept, ours and the machinery's are left out, recursion is folded."""

import re

import numpy as np
import pytest

from gradcli.answers.targets import resolve
from gradcli.answers.targets.tracebacks import MOST_FRAMES, exception_message, raised, user_frames
from gradcli.errors import UserCodeError


def frames_of(function, *arguments):
    """The user's frames of the exception that a call raises, from the called function on."""
    try:
        function(*arguments)
    except Exception as error:
        return user_frames(error)[1:]
    raise AssertionError("nothing was raised")


def names_of(function, *arguments):
    return [name for _, _, name in frames_of(function, *arguments)]


def test_our_frames_are_left_out(write):
    """The expression's function calls the rules, which call the user's."""
    path = write("f.py", "def f(x):\n    return g(x)\n\ndef g(x):\n    raise ValueError\n")

    assert ((str(path), 2, "f"), (str(path), 5, "g")) == frames_of(resolve("f.py:f").function, 1.0)


def test_frames_of_our_own_code_only_are_none_of_the_users():
    assert frames_of(resolve, "") == ()


def recursive(n):
    return recursive(n - 1) if n else 1 / 0


def endless(x):
    return endless(x)


def solved(x):
    return np.linalg.solve(x, x)


@pytest.mark.parametrize(
    ("function", "argument", "names"),
    [
        (solved, np.zeros((2, 2)), r"\['solved'\]"),
        (recursive, 300, r"\['recursive, 301 times'\]"),
        (recursive, 2, r"\['recursive', 'recursive', 'recursive'\]"),
        (endless, 1, r"\['endless, \d+ times'\]"),
    ],
    ids=["NumPy's", "recursion", "a short one", "an endless one"],
)
def test_frames_that_are_left_out_or_folded(function, argument, names):
    assert re.fullmatch(names, str(names_of(function, argument)))


def test_numpys_frames_are_kept_where_there_is_nothing_else():
    error = None
    try:
        np.linalg.solve(np.zeros((2, 2)), np.zeros(2))
    except np.linalg.LinAlgError as caught:
        error = caught.with_traceback(caught.__traceback__.tb_next)

    assert "solve" in [name for _, _, name in user_frames(error)]


def test_a_long_irregular_traceback_is_shortened():

    def f(bits):
        if not bits:
            raise ValueError
        if bits[0] == "1":
            return f(bits[1:])
        return f(bits[1:])

    names = names_of(f, "".join(f"{n:b}" for n in range(60)))
    assert len(names) + 1 == MOST_FRAMES
    assert "calls left out" in names[MOST_FRAMES // 2 - 2]


def test_a_frame_without_a_file_is_kept():
    assert list(frames_of(lambda: exec("1 / 0"))[1:]) == [("<string>", 1, "<module>")]


def test_the_error_of_an_exception():
    """Its class, what was going on, its words, and the innermost line of the user's."""
    try:
        raise ValueError("no\n  such thing")
    except ValueError as caught:
        error = raised(caught, "in f at x=1")

    assert isinstance(error, UserCodeError)
    assert error.message == "ValueError in f at x=1: no such thing"
    assert (__file__, error.frames[-1][1]) == (error.file, error.line)
    assert raised(ValueError(), "in f").message == "ValueError in f"


@pytest.mark.parametrize(("text", "hint"), [
    ("sin(x)", "Import it first: from numpy import sin"),
    ("math.sin(x)", "Import it first: import math"),
    ("np.sin(x)", "Import it first: import numpy as np"),
    ("wrongly_typed(x)", None),
    ("x.sin()", None),
    ("(y for y in [x]).throw(NameError('sin'))", None),
])  # fmt: skip
def test_a_name_that_is_not_imported(write, text, hint):
    write("f.py", f"def f(x):\n    return {text}\n")
    function = resolve("f.py:f").function

    with pytest.raises((NameError, AttributeError)) as caught:
        function(1.0)

    assert raised(caught.value, "in f").hint == hint


def test_an_exception_that_cannot_be_printed():

    class Odd(Exception):
        def __str__(self):
            raise RuntimeError

    assert exception_message(Odd()) == ""


def test_the_error_shows_each_line(write):
    path = write("f.py", "1 / 0\n")

    with pytest.raises(UserCodeError) as caught:
        resolve("f.py:f")

    assert [f"{path}:1 in <module>: 1 / 0"] == caught.value.excerpt()
