"""Whose code a frame runs, and which line is shown."""

import json
import statistics
import sys
from collections import namedtuple

import numpy as np
import scipy.integrate
import scipy.optimize

from gradcli import grad
from gradcli.engine.code import stack_frames


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
