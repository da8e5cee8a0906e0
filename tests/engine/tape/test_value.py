"""What every recorded value does: text, plain facts as outcomes, and refusals where the bare number is wanted."""

import math
import operator
import pickle
import queue

import numpy as np
import pytest

from gradcli import grad, jacobian, stop_gradient, trace
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.errors import DetachedError, ForeignTapeError, UnsupportedError

KEPT: queue.SimpleQueue = queue.SimpleQueue()  # the values that a program keeps in sight are plain after its run


def keeps(x):
    """A function that lets a recorded value out."""
    KEPT.put(x)
    return x * x


@pytest.fixture
def finished():
    grad(keeps)(2.0)
    return KEPT.get()


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (str, "2.5"),
        (repr, "2.5"),
        (lambda x: f"{x}", "2.5"),
        (lambda x: f"{x!r:>5}", "  2.5"),
        (lambda x: f"{x:.3f}", "2.500"),
        (lambda x: format(x, "e"), "2.500000e+00"),
        (lambda x: f"{x:08.2f}|{x}", "00002.50|2.5"),
        (lambda x: "%g" % x, "2.5"),  # noqa: UP031 - as users write it
        (lambda x: "%5.2f and %s" % (x, x), " 2.50 and 2.5"),  # noqa: UP031
        (lambda x: "%(x)r" % {"x": x}, "2.5"),  # noqa: UP031
        (lambda x: "%d" % x, "2"),  # noqa: UP031
        (lambda x: str([x, (x,)]), "[2.5, (2.5,)]"),
        (lambda x: x.hex(), "0x1.4000000000000p+1"),
    ],
)
def test_text(write, text):
    """A value reads as its number, and being read loses nothing."""
    found = []

    assert grad(lambda x: (found.append(write(x)), 3 * x)[1])(2.5) == 3.0
    assert [text] == found


def test_printing(capsys):
    grad(lambda x: (print("x =", x), x)[1])(2.5)

    assert capsys.readouterr().out == "x = 2.5\n"


def test_a_text_is_an_outcome():
    tape = trace(lambda x: len(f"{x:.2f}") * x, 1.23456)

    assert [each.name for each in tape.outcomes] == ["text"]
    assert tape.sensitivities()[0] == 4.0


@pytest.mark.parametrize(
    ("name", "ask", "told"),
    [
        ("bool", bool, True),
        ("bool", operator.not_, True),
        ("int", int, 2),
        ("round", round, 3),
        ("round", lambda x: round(x, 1), 2.7),
        ("floor", math.floor, 2),
        ("ceil", math.ceil, 3),
        ("trunc", math.trunc, 2),
        ("floordiv", lambda x: x // 0.5, 5.0),
        ("floordiv", lambda x: 7 // x, 2.0),
        ("is_integer", lambda x: x.is_integer(), False),
        ("stop_gradient", stop_gradient, 2.66),
    ],
)
def test_a_plain_fact_is_an_outcome(name, ask, told):
    """The program is told a plain value; name, operand and what was told stay on the tape."""
    heard = []
    tape = trace(lambda x: (heard.append(ask(x)), x)[1], 2.66)

    (outcome,) = tape.outcomes
    assert (name, told) == (outcome.name, outcome.answer)
    assert 2.66 in outcome.operands
    assert told == heard[0] or name == "bool"
    assert not is_recorded(heard[0])


@pytest.mark.parametrize(
    ("name", "ask", "told"),
    [
        ("less", lambda v: v < 2, [True, False]),
        ("argmax", lambda v: np.argmax(v), 1),
        ("argmin", lambda v: v.argmin(), 0),
        ("argsort", lambda v: np.argsort(-v), [1, 0]),
        ("astype", lambda v: v.astype(int), [1, 3]),
        ("floor", lambda v: np.floor(v), [1.0, 3.0]),
        ("rint", lambda v: np.rint(v), [1.0, 3.0]),
        ("isfinite", lambda v: np.isfinite(v), [True, True]),
        ("any", lambda v: np.any(v), True),
        ("searchsorted", lambda v: np.searchsorted(v, 2.0), 1),
        ("allclose", lambda v: np.allclose(v, [1.2, 3.4]), True),
    ],
)
def test_a_plain_fact_of_an_array_is_an_outcome(name, ask, told):
    tape = trace(lambda v: (ask(v), v.sum())[1], np.array([1.2, 3.4]))

    assert name in [each.name for each in tape.outcomes]
    np.testing.assert_array_equal(told, tape.outcomes[-1].answer)


def test_outcomes_know_where_in_the_run_they_were_asked():

    def f(x):
        y = x * x
        return y * 2 if y > 1 else int(y) * x

    assert [(each.before, each.name) for each in trace(f, 2.0).outcomes] == [(2, "gt")]
    assert [(each.before, each.name) for each in trace(f, 0.5).outcomes] == [(2, "gt"), (2, "int")]


def test_a_table_is_read_by_a_whole_number():
    """The derivative is that of the piece that was read."""
    table = [1.0, 4.0, 9.0, 16.0]

    assert grad(lambda x: table[int(x)] * x + table[round(x)] + table[-1])(2.4) == 9.0


def test_a_value_cannot_be_pickled():
    with pytest.raises(DetachedError, match="pickle"):
        grad(lambda x: pickle.loads(pickle.dumps(x)))(2.0)


@pytest.mark.parametrize(
    "use",
    [
        lambda h: h * 2,
        lambda h: 2 - h,
        lambda h: -h,
        lambda h: h > 1,
        bool,
        float,
        int,
        round,
        math.sin,
        np.sin,
        lambda h: np.array([h]),
        lambda h: np.float64(2) * h,
        lambda h: h // 2,
    ],
)
def test_a_finished_value_is_refused(finished, use):
    with pytest.raises(ForeignTapeError, match="after its gradient was computed"):
        use(finished)
    with pytest.raises(ForeignTapeError):
        grad(lambda x: (use(finished), x)[1])(1.0)


@pytest.mark.parametrize("use", [lambda x, h: x * h, lambda x, h: h * x, lambda x, h: x < h, lambda x, h: h])
def test_a_value_of_another_gradient_is_refused(finished, use):
    """Together with one of this gradient, compared with it, and as the result."""
    with pytest.raises(ForeignTapeError, match=r"of another|was computed"):
        grad(lambda x: use(x, finished))(1.0)
    with pytest.raises(ForeignTapeError, match=r"of another|was computed"):
        jacobian(lambda x: [use(x, finished)])(1.0)


def test_a_value_of_another_gradient_is_refused_as_the_point(finished):
    with pytest.raises(ForeignTapeError):
        grad(lambda x: x * x)(finished)


def test_a_finished_value_can_still_be_printed(finished):
    assert (str(finished), repr(finished), f"{finished:.2f}") == ("2.0", "2.0", "2.00")


def test_a_finished_array_is_refused():
    grad(lambda v: keeps(v).sum())(np.ones(2))
    kept = KEPT.get()
    for use in (lambda h: h * 2, lambda h: h[0], lambda h: h.sum(), lambda h: h > 1, np.asarray):
        with pytest.raises(ForeignTapeError):
            use(kept)


def test_a_caught_refusal_still_refuses():
    """A program that catches our error must not go another way in silence."""

    def catches(x):
        try:
            return np.packbits(np.array([x, 1.0, 1.0]))[0]
        except Exception:
            return 0.0 * x

    with pytest.raises(UnsupportedError, match="packbits") as caught:
        grad(catches)(1.0)
    assert __file__ == caught.value.file


def test_bare():
    found = []
    grad(lambda x: (found.append((plain_value(x), plain_value(3), is_recorded(x), is_recorded(3))), x)[1])(2.0)

    assert found == [(2.0, 3, True, False)]


MATRIX = np.array([[1.0, 2.0], [0.5, 3.0]])


def test_what_depends_on_no_input_passes_for_plain_numbers():
    """Compiled code may have the numbers of an array that the run has made of plain ones."""

    def f(x):
        return MATRIX.dot(np.ones(2)).sum() * x * float(np.zeros(1)[0] + 2.0)

    assert grad(f)(1.5) == 13.0


def test_what_passed_for_plain_numbers_takes_no_recorded_value():
    """The plain copy would not follow."""

    def f(x, written):
        made = np.zeros(2)
        copy = made.__array__()
        made[0] = x if written else 1.0
        return (copy[0] + made.sum()) * x

    assert grad(f)(1.5, False) == 1.0
    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        grad(f)(1.5, True)
