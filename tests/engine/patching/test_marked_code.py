"""Functions compiled with marks: the same functions for everyone else, and only where the source says what runs."""

import linecache
import math
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradcli
from gradcli.engine.patching.marked_code import MARK, marked
from gradcli.errors import DetachedError

TABLE = np.array([1.0, 2.0, 3.0, 4.0])


def called(function, x):
    return function(x)


METHODS = {
    "dot": lambda x: TABLE.dot(x).sum(),
    "of whole numbers": lambda x: np.arange(4).dot(x),
    "of a list": lambda x: TABLE.dot([x[0], x[1] * x[0], x[2], x[3]]),
    "taken apart": lambda x: called(TABLE.dot, x),
    "of a part": lambda x: TABLE[:2].dot(x[1:3]) * x[0],
    "of what was made": lambda x: (TABLE.reshape(2, 2) * 2.0).dot(x.reshape(2, 2)).sum(),
    "with limits": lambda x: TABLE.clip(x[0], x[3]).sum(),
    "of choices": lambda x: np.array([0, 1, 1]).choose([x[0], x[1]]).sum(),
    "beside its shape": lambda x: TABLE.dot(x) * TABLE.shape[0] * x[1],
    "in an operator": lambda x: TABLE.__matmul__(x) * TABLE.__rmul__(x).sum(),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", METHODS)
def test_methods_of_plain_arrays_take_recorded_values(name):
    point, f = np.array([0.2, 0.7, 0.4, 2.5]), METHODS[name]
    steps = 1e-6 * np.eye(4)
    expected = [(f(point + step) - f(point - step)) / 2e-6 for step in steps]

    np.testing.assert_allclose(gradcli.grad(f)(point), expected, rtol=1e-6, atol=1e-8)


def test_methods_in_threads():
    point = np.array([0.2, 0.7, 0.4, 2.5])
    with ThreadPoolExecutor(4) as pool:
        slopes = list(pool.map(lambda _: gradcli.grad(lambda x: TABLE.dot(x))(point), range(40)))
    np.testing.assert_array_equal(slopes, [TABLE] * 40)


def writes(x):
    w = TABLE.copy()
    w[0] = x
    return (w * x).sum()


def _lines(f, x):
    lines = []

    def note(frame, event, _):
        lines.append((event, frame.f_lineno))
        return note

    before = sys.gettrace()
    sys.settrace(lambda frame, event, _: note(frame, event, _) if frame.f_code.co_name == "traced" else None)
    try:
        f(x)
    finally:
        sys.settrace(before)
    return lines


def test_a_debugger_sees_the_same_lines():
    def traced(x):
        w = TABLE.copy()
        rows = [w]
        for row in rows:
            row[0] = x
            row[1:] *= TABLE[1:].dot(
                [x, x, x],
            )
        return math.fsum(w)

    assert _lines(gradcli.grad(traced), 1.3) == _lines(traced, 1.3)


def test_marked_code_does_the_same_outside_a_run():
    code = marked(writes.__code__)
    assert MARK in code.co_consts
    assert pickle.loads(pickle.dumps(MARK)) is MARK
    assert type(writes)(code, globals())(2.0) == writes(2.0)
    assert marked(called.__code__) is None


TEXT = """
import numpy as np
TABLE = np.arange(3.0)
def f(x):
    w = TABLE + {}
    w[0] = x
    return (w * x).sum()
"""


def executed(text, name):
    names = {"__name__": "text"}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def test_without_its_source_a_function_is_refused():
    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        gradcli.grad(executed(TEXT.format(1.0), "<nowhere>"))(1.3)


def test_a_source_that_was_edited_since_is_not_run(tmp_path):
    edited, same = tmp_path / "edited.py", tmp_path / "same.py"
    edited.write_text(TEXT.format(2.0))
    same.write_text(TEXT.format(1.0))
    linecache.checkcache()

    with pytest.raises(DetachedError):
        gradcli.grad(executed(TEXT.format(1.0), str(edited)))(1.3)
    assert gradcli.grad(executed(TEXT.format(1.0), str(same)))(1.3) == pytest.approx(2 * 1.3 + 5.0)


def test_a_function_made_anew_is_remembered():
    def make(factor):
        def f(x):
            w = TABLE * factor
            w[0] = x * factor
            return (w * x).sum()

        return f

    for factor in (1.0, 2.0, 3.0):
        assert gradcli.grad(make(factor))(1.3) == pytest.approx(factor * (2 * 1.3 + 9.0))
