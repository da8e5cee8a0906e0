"""Whose code a frame runs, and which line is shown."""

import json
import statistics
import sys
from collections import namedtuple

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import gradcli
from gradcli import grad
from gradcli.engine.code import stack_frames
from gradcli.methods.transforms import gradients


def frame_in(call):
    """The frame that calls back, of whoever `call` hands the call to."""
    found = []
    call(lambda *_: found.append(sys._getframe(1)) or 1.0)
    return found[0]


def test_whose_frame_it_is():
    """The user's, the standard library's, NumPy's, an installed package's, ours."""
    mine = sys._getframe()
    library = frame_in(lambda f: json.loads("{}", object_hook=f))
    numpys = frame_in(lambda f: np.apply_along_axis(f, 0, np.ones(2)))
    package = frame_in(lambda f: scipy.optimize.fixed_point(f, 1.0))
    ours = frame_in(lambda f: grad(f)(1.0))

    each = (mine, library, numpys, package, ours)
    assert list(map(stack_frames.is_users, each)) == [True, False, False, True, False]
    assert list(map(stack_frames.is_numpys, each)) == [False, False, True, False, False]
    assert list(map(stack_frames.is_ours, each)) == [False, False, False, False, True]


def test_the_place_to_show():
    """The user's own line before that of an installed package, and nothing where there is neither."""
    mine = sys._getframe()
    library = frame_in(lambda f: json.loads("{}", object_hook=f))
    package = frame_in(lambda f: scipy.optimize.fixed_point(f, 1.0))

    assert (__file__, 3) == stack_frames.place_to_show([(library, 1), (package, 2), (mine, 3)])
    assert (package.f_code.co_filename, 2) == stack_frames.place_to_show([(library, 1), (package, 2)])
    assert stack_frames.place_to_show([(library, 1)]) == (None, None)


def test_text_that_was_compiled_has_no_place():
    """Where there is a file it is shown before `<string>`."""
    names = {"sys": sys}
    exec("frame = sys._getframe()", names)

    assert (__file__, 2) == stack_frames.place_to_show([(names["frame"], 1), (sys._getframe(), 2)])
    assert stack_frames.place_to_show([(names["frame"], 1)]) == ("<string>", 1)


def test_the_frames_of_a_traceback():
    """Innermost first, with the lines at which they raised."""
    try:
        statistics.mean([])
    except statistics.StatisticsError as error:
        found = stack_frames.of_traceback(error.__traceback__)

    assert [frame.f_code.co_name for frame, _ in found] == ["mean", "test_the_frames_of_a_traceback"]
    assert all(line > frame.f_code.co_firstlineno for frame, line in found)


def test_what_named_tuples_run_is_not_the_users():
    """The lines that `namedtuple` writes for a class are in no file."""
    pair, found = namedtuple("Pair", "a b"), []
    before = sys.gettrace()
    sys.settrace(lambda frame, *_: found.append(frame))
    pair(1, 2)
    sys.settrace(before)

    assert [stack_frames.is_users(frame) for frame in found] == [False]


def test_a_local_array_is_no_function_that_scipy_wraps():
    """SciPy's solver of differential equations calls its values `f`."""
    found = grad(lambda x: scipy.integrate.solve_ivp(lambda t, y: -x * y, (0, 1), [1.0], rtol=1e-9).y[0, -1])(0.3)
    assert abs(found + np.exp(-0.3)) < 1e-6


def raising(x):
    raise LookupError("of the user")


def of_numpy(x):
    return np.sum(np.ones((3, 4)) @ x)


def nested(x):
    return np.sum(gradcli.grad(raising)(x))


def files_of(call):
    """The files of the traceback of an exception that a call of the library raises."""
    with pytest.raises(Exception, match=r"user|mismatch|name|not callable") as caught:
        call()
    traceback = caught.value.__traceback__.tb_next  # without this function
    return {frame.f_code.co_filename for frame, _ in stack_frames.of_traceback(traceback)}


POINT = np.ones(2)


@pytest.mark.parametrize("call", [
    lambda: gradcli.grad(raising)(POINT), lambda: gradcli.grad(nested)(POINT), lambda: gradcli.grad(of_numpy)(POINT),
    lambda: gradcli.hessian(raising)(POINT), lambda: gradcli.jacobian(of_numpy)(POINT),
    lambda: gradcli.vjp(raising, POINT),
    lambda: gradcli.jvp(of_numpy, (POINT,), (POINT,)), lambda: gradcli.hvp(raising, POINT, POINT),
    lambda: gradcli.trace(of_numpy, POINT), lambda: gradcli.check(raising, at=POINT),
    lambda: gradcli.check(lambda x: x @ x, at=POINT, against=raising), lambda: gradcli.assert_grad(of_numpy, at=POINT),
    lambda: gradcli.check("x**2", at="y=1"),
])  # fmt: skip
def test_a_call_of_the_library_leaves_no_frame_of_its_own(call):
    assert files_of(call) == {__file__}


def test_an_error_of_our_own_keeps_its_frames(monkeypatch):
    """It is a bug, which they help to find."""
    monkeypatch.setattr(gradients, "_value_and_gradient", None)

    files = files_of(lambda: gradcli.grad(raising)(POINT))

    assert gradients.__file__ in files
