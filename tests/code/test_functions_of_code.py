"""The functions of a frame's code: all objects of a program are looked at only where these may be more than one."""

import array
import gc
import sys
import types

import pytest

from gradcli import grad
from gradcli.code.functions_of_code import functions_of_frames
from gradcli.errors import DetachedError

frames: list[types.FrameType] = []


def noted(x):
    frames.append(sys._getframe())
    return x


class Owner:
    """Functions that a class holds."""

    def method(self, x):
        return noted(x) and frames.append(sys._getframe())

    @staticmethod
    def static(x):
        frames.append(sys._getframe())

    @classmethod
    def of_class(cls, x):
        frames.append(sys._getframe())


def scale(k):
    """A function that is made anew."""

    def inner(x):
        frames.append(sys._getframe())
        return k * x

    return inner


@pytest.fixture
def walks(monkeypatch):
    found, referrers = [], gc.get_referrers
    monkeypatch.setattr(gc, "get_referrers", lambda *objects: (found.append(objects), referrers(*objects))[1])
    return found


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (noted, noted),
        (Owner().method, Owner.method),
        (Owner.static, Owner.static),
        (Owner.of_class, Owner.of_class.__func__),
    ],
)
def test_a_function_that_a_module_holds_is_found_by_its_name(call, expected, walks):
    call(1.0)
    assert [expected] == list(functions_of_frames([frames.pop()]))
    assert [] == walks


def test_functions_made_anew_are_found_with_their_maker_by_one_look_at_all_objects(walks):
    first, second = scale(2.0), scale(3.0)
    first(1.0)
    assert {first, second, scale} == set(functions_of_frames([frames.pop()]))
    assert 1 == len(walks)


def test_a_copy_of_a_function_that_a_module_holds_is_found():
    copied = types.FunctionType(noted.__code__, {**globals()})
    copied(1.0)
    assert {noted, copied} == set(functions_of_frames([frames.pop()]))


def of_module(x):
    """A function that leaks where nothing can be replaced."""
    return array.array("d", [x])[0]


def enclosing(f):
    """Another one, which encloses what cannot be replaced either."""
    return lambda x: f(x) * array.array("d", [x])[0]


@pytest.mark.parametrize("f", [of_module, enclosing(abs)])
def test_a_refusal_looks_at_no_other_objects(f, walks):
    """The functions of its frames have nothing to replace."""
    with pytest.raises(DetachedError):
        grad(f)(1.0)
    assert [] == walks
