"""The user's variable names and source lines for the rows of a tape."""

import functools
import gc
import math
import sys

import numpy as np
import pytest

from examples import hyperbox
from gradcli import grad, trace
from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.traces.names_and_source_lines import Watch, distinct

SCALE_FILE = "def scale(v, k):\n    scaled = v * k\n    return scaled + 1\n"


def listing(f, *point):
    """Name and line, counted from that of `def`, of each row that computes."""
    first = f.__code__.co_firstlineno
    return [(node.name, node.line - first) for node in trace(f, *point).nodes if node.inputs]


def names(f, *point):
    return [node.name for node in trace(f, *point).nodes]


def test_the_seeds_example():
    """t_ab to ret by the names of the file, with its lines; what has no name of its own has none."""
    nodes = trace(hyperbox.f4, [2.0, 3.0, 4.0, 5.0]).nodes
    first = hyperbox.f4.__code__.co_firstlineno

    expected = ["side_lengths[0]", "side_lengths[1]", "side_lengths[2]", "side_lengths[3]"]
    expected += ["t_ab", "t_cd", "t_abc", "t_abd", "t_acd", "t_bcd", None, None, "t_s", "ret"]
    assert [node.name for node in nodes] == expected
    lines = [None] * 4 + [first + n for n in (3, 4, 5, 6, 7, 8, 9, 9, 9, 10)]
    assert lines == [node.line for node in nodes]
    assert {None, hyperbox.__file__} == {node.file for node in nodes}


def test_a_name_bound_again():

    def f(x):
        y = x * 2
        y = y + 1
        y = y * y
        return y

    assert listing(f, 2.0) == [("y", 1), ("y#2", 2), ("y#3", 3)]


def test_a_parameter_bound_again():

    def f(x):
        x *= 2
        x = x + 1
        return x

    assert names(f, 2.0) == ["x", "x#2", "x#3"]


def test_a_returned_expression_is_the_result():
    """The last row has no name of its own."""

    def f(x):
        return x * x + 1

    assert listing(f, 2.0) == [(None, 1), ("result", 1)]


def test_a_returned_name_stays():
    assert names(lambda x: x, 2.0) == ["x"]
    assert names(lambda: 3.0) == []


def test_a_second_name_changes_nothing():
    """The first name that a row is bound to is its name."""

    def f(x):
        a = b = x * x
        c = b
        return c + a

    assert names(f, 2.0) == ["x", "a", "result"]


def test_loops_and_comprehensions():
    """A sum that grows in a loop is s#1, s#2, … by iterations; the items of a list have their places."""

    def f(x):
        s = 0.0
        for k in range(2):
            s += x * k
        ys = [x * k for k in range(2)]
        return s * ys[1]

    assert names(f, 2.0) == ["x", None, "s#1", None, "s#2", "ys[0]", "ys[1]", "result"]


def test_containers():

    def f(x):
        d = {"k": x * 2, "more": [(x * 3,)]}
        return d["k"] * d["more"][0][0]

    assert names(f, 2.0) == ["x", "d['k']", "d['more'][0][0]", "result"]


def test_a_structured_argument():
    """The inputs have the names by which the function sees them."""
    point = {"w": [1.0, 2.0], "b": 3.0}

    assert ["p['w'][0]", "p['w'][1]", "p['b']", None, "result"] == names(
        lambda p: p["w"][0] * p["w"][1] + p["b"], point
    )


def test_a_container_that_holds_itself():

    def f(x):
        loop = [x * 2]
        loop.append(loop)
        return loop[0]

    assert names(f, 2.0) == ["x", "loop[0]"]


def test_a_helper_in_another_file(tmp_path, monkeypatch):
    """Its rows have its names, its file and its lines, and then the caller's line goes on."""
    (tmp_path / "scaling.py").write_text(SCALE_FILE)
    monkeypatch.syspath_prepend(tmp_path)
    import scaling

    def f(x):
        a = scaling.scale(x, 3)
        b = scaling.scale(a, 4)
        return b * a

    nodes = trace(f, 2.0).nodes[1:]
    file, first = str(tmp_path / "scaling.py"), f.__code__.co_firstlineno
    assert [node.name for node in nodes] == ["scaled#1", "a", "scaled#2", "b", "result"]
    assert [file] * 4 + [__file__] == [node.file for node in nodes]
    assert [2, 3, 2, 3, first + 3] == [node.line for node in nodes]


def test_a_statement_of_several_lines():
    """Each row has the line of its own part, and the rows after a call that of the statement."""

    # fmt: off
    def f(x, y):
        z = (
            x * y
            + math.sin(x)
            * math.cos(y)
        )
        return abs(
            z
        )
    # fmt: on

    assert listing(f, 2.0, 3.0) == [(None, 2), (None, 3), (None, 4), (None, 3), ("z", 2), ("result", 6)]


def test_inner_functions_generators_and_lambdas():
    """Names of every function that runs; each call begins to count where the last one ended."""

    def f(x):
        def square(t):
            u = t * t
            return u

        def terms():
            for k in range(2):
                v = x * k
                yield v

        return square(x) + sum(terms()) + (lambda w: w * 2)(x)  # noqa: PLC3002 - as users write it

    expected = ["x", "u", "v", None, "v#2", None, None, None, "result"]
    assert names(f, 2.0) == expected


def test_a_generator_that_is_closed_meanwhile_is_not_the_place():

    def suspended():
        yield 1
        yield 2

    left = suspended()
    next(left)
    watch = Watch()

    watch.call(new_tape(), left.close, ())

    assert watch.place(0) is None


def test_a_function_called_by_a_library():
    """Back from the standard library the line of the caller goes on, and nothing is `result` too early."""

    def f(x):
        total = functools.reduce(lambda a, b: a + b, map(lambda t: t * t, [x, x]))  # noqa: C417
        keyed = sorted([x, 2 * x], key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b)))
        return total * keyed[0]

    assert [line for _, line in listing(f, 2.0)] == [1, 1, 1, 2, 3]
    assert names(f, 2.0) == ["x", "a", "b", "total", "a#2", "result"]


def test_a_nested_gradient():
    """What is computed inside is watched too, and the outer result is the only one."""

    def f(x):
        slope = grad(lambda y: x * y * y)(3.0)
        return slope * x

    found = names(f, 2.0)
    assert found[:2] == ["x", "y"]
    assert (found[-2], found[-1]) == ("slope", "result")
    assert found.count("result") == 1


def test_arrays():
    """An array that is written to is bound anew."""

    def f(v):
        a = np.zeros(2)
        a[0] = v[1]
        s = a.sum()
        return s * 2

    assert names(f, np.array([1.0, 2.0])) == ["v", "a", None, "a#2", "s", "result"]


def test_outcomes_have_lines():

    def f(x):
        if x > 1:
            y = x * int(x)
        return y

    tape = trace(f, 2.0)
    first = f.__code__.co_firstlineno
    assert [(__file__, first + 1), (__file__, first + 2)] == [outcome.place for outcome in tape.outcomes]


def test_no_names_where_none_are_asked_for():
    tape = trace(lambda x: x * x, 2.0, names=False)

    assert not tape.is_named
    assert [(node.name, node.file, node.line) for node in tape.nodes] == [(None, None, None)] * 2


@pytest.mark.parametrize("raises", [False, True])
def test_the_trace_function_is_restored(raises):
    """A debugger, or a measurement of coverage, goes on after the run."""
    events = []

    def tracer(frame, event, argument):
        events.append(event)

    def f(x):
        if raises:
            raise KeyError
        return x

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        trace(f, 1.0)
    except KeyError:
        assert raises
    finally:
        after = sys.gettrace()
        sys.settrace(before)
    assert after is tracer


def test_what_the_collector_finalizes_meanwhile_is_not_the_place():
    """Its code runs between any two lines of the program, or where none of the user's code runs at all."""

    class Loop:
        def __init__(self):
            self.own = self

        def __del__(self):
            finalized.append(self)

    finalized = []

    def f(x):
        before = gc.get_threshold()
        gc.set_threshold(1)
        try:
            values = [[x * n] for n in range(20)]
        finally:
            gc.set_threshold(*before)
        return values[-1][0]

    gc.collect()
    Loop()
    tape = trace(f, 1.0)

    lines = {node.line for node in tape.nodes[1:]}
    assert ({f.__code__.co_firstlineno + 4}, []) == (lines, finalized)


def test_a_run_that_is_repeated_is_watched_once():
    """Names and lines of the run that was given up are forgotten."""

    def f(x):
        y = x * 2
        z = math.sin(y)
        return float(z) * y

    assert listing(f, 2.0) == [("y", 1), ("z", 2), ("result", 3)]


def test_distinct_names():
    """One for each row; an array beside the items of a list of its name has a number, or they have."""
    assert distinct({0: "x", 1: "x", 2: "y[0]", 3: "y"}) == {0: "x", 1: "x#2", 2: "y[0]", 3: "y#2"}
    assert distinct({0: "v", 1: "v#2", 2: "v[0]"}) == {0: "v", 1: "v#2", 2: "v[0]#2"}


def test_an_expression_is_no_item():
    """Text that begins with an item keeps its name beside the array; an item itself does not."""
    names = {0: "v", 1: "v[0]^2+v[1]", 2: "v[0]", 3: "v[0]*v[1:]", 4: "w[0][1]", 5: "w"}

    assert list(distinct(names).values()) == ["v", "v[0]^2+v[1]", "v[0]#2", "v[0]*v[1:]", "w[0][1]", "w#2"]
