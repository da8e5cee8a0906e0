"""What a failed run owes the user: his line, and a word of ours where it is we who made his program fail."""

import decimal
import math
import queue
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli import grad, jacobian, trace, value_and_grad
from gradcli.engine.running.error_advice import OVERFLOW
from gradcli.errors import DetachedError, ForeignTapeError, TapeError, UnsupportedError


def line_of(f, below):
    """The number of a line of `f`, counted from its first one."""
    return f.__code__.co_firstlineno + below


def test_an_operation_without_a_rule_has_the_users_line():
    """The line that called it, in the file that holds it."""

    def f(x):
        a = np.array([[x, 1.0], [1.0, 2.0]])
        return np.packbits(a[0])[0]

    with pytest.raises(UnsupportedError, match=r"numpy\.packbits") as caught:
        grad(f)(1.0)
    assert (__file__, line_of(f, 2), "G404") == (caught.value.file, caught.value.line, caught.value.code)


def test_a_line_in_a_helper_module(tmp_path, monkeypatch):
    """The innermost line of the user's."""
    (tmp_path / "helps.py").write_text("import numpy as np\n\n\ndef h(x):\n    return np.packbits([x, x])\n")
    monkeypatch.syspath_prepend(tmp_path)
    import helps

    with pytest.raises(UnsupportedError) as caught:
        grad(lambda x: helps.h(x))(1.0)
    assert (str(tmp_path / "helps.py"), 5) == (caught.value.file, caught.value.line)


PACKAGE = """import array
import numpy as np
class Held:
    def __init__(self, numbers): self.numbers = numbers
    def __array__(self, dtype=None, copy=None): return self.numbers
def inner(x):
    {}
"""


@pytest.mark.parametrize("code", ["x.shape = (2, 1)", "return array.array('d', x)", "return WEIGHTS.dot(Held(x))"])
def test_a_line_in_an_installed_package(code, tmp_path, monkeypatch):
    """It is shown beneath the user's own."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "packaged.py").write_text(PACKAGE.format(code))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "packaged", raising=False)
    import packaged

    packaged.WEIGHTS = np.ones((2, 2))
    with pytest.raises(TapeError) as caught:
        trace(lambda x: packaged.inner(x), np.ones(2))
    own, inside = caught.value.excerpt()
    assert own.startswith(f"{__file__}:{caught.value.line} in <lambda>: trace(")
    assert f"{folder / 'packaged.py'}:7 in inner: {code}" == inside


def test_a_write_into_an_array_that_was_read_has_the_users_line():
    """A large array that the tape has read cannot be written to."""
    large = np.ones(100_000)

    def f(x):
        y = (large * x).sum()
        large[0] = 2.0
        return y

    with pytest.raises(UnsupportedError, match="is overwritten") as caught:
        grad(f)(1.0)
    assert (__file__, line_of(f, 2)) == (caught.value.file, caught.value.line)
    assert large.flags.writeable


def test_a_foreign_value_has_the_users_line():
    """Where the two values met."""
    kept = queue.SimpleQueue()
    grad(lambda x: (kept.put(x), x)[1])(1.0)

    def f(x):
        y = x * 2
        return y * kept.get()

    with pytest.raises(ForeignTapeError) as caught:
        grad(f)(1.0)
    assert (__file__, line_of(f, 2)) == (caught.value.file, caught.value.line)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: x + "a", 1.0),
        (lambda x: [1] * x, 1.0),
        (lambda x: range(x), 1.0),
        (lambda x: "a" + x, 1.0),
        (lambda x: [1.0][x], np.float64(2.5)),
        (lambda x: len(x * 1j), 1.0),
        (lambda x: np.take_along_axis(x[0], x, 0), np.ones(3)),
        (lambda x: np.linalg.norm(x, 3, 7), np.ones(3)),
        (lambda x: np.insert(x, x, 1.0), np.ones(3)),
        (lambda x: np.delete(x, x), np.ones(3)),
        (lambda x: np.vecdot(x, x[0]), np.ones(3)),
        (lambda x: np.tile(x, -x), np.ones(3)),
    ],
)
def test_an_error_of_the_program_reads_as_on_plain_numbers(f, x):
    """Word by word, although recorded values have another type."""
    with pytest.raises(Exception) as plain:  # noqa: PT011 - what Python says is compared
        f(x)
    with pytest.raises(plain.type) as caught:
        grad(f)(x)
    assert str(plain.value) == str(caught.value)


def test_an_error_of_the_program_shows_no_frame_of_a_rule():
    """Its frames are those of a run with plain numbers, behind that of the caller."""
    with pytest.raises(np.exceptions.AxisError) as caught:
        grad(lambda x: np.linalg.norm(x, 3, 7))(np.ones(3))
    frames = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]

    assert not any(file.startswith(str(Path(gradcli.__file__).parent)) for file in frames)
    assert frames[1] == __file__


def test_messages_of_other_libraries_name_recorded_values():
    """As what they are: no type is expected and given at once."""
    with pytest.raises(DetachedError, match="not 'recorded ndarray'"):
        grad(lambda x: np.sum(memoryview(x)))(np.ones(2))


def test_an_error_that_only_a_recorded_value_raises():
    """C code that asks for a true float: G402, with Python's own error as the cause."""

    def f(x):
        y = x * 2
        return float(decimal.Decimal(y))

    for transform in (grad, jacobian, lambda f: grad(grad(f))):
        with pytest.raises(DetachedError, match="conversion from recorded float to Decimal is not supported") as caught:
            transform(f)(1.0)
        assert (__file__, line_of(f, 2)) == (caught.value.file, caught.value.line)
        assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.parametrize(
    "error", [TypeError("mine"), ValueError("mine"), AttributeError("mine"), AssertionError(), KeyError(1)]
)
def test_an_error_of_the_program_itself_stays(error):
    """What it raises on plain numbers too is no fault of ours."""

    def f(x):
        if x > 0:
            raise error
        return x

    with pytest.raises(type(error)) as caught:
        grad(f)(1.0)
    assert caught.value is error


def test_a_program_that_fails_with_an_interruption_is_not_run_again():
    """Nor one that fails for want of memory, of a file or of arithmetic."""
    for error in (OSError, ZeroDivisionError, MemoryError, RecursionError):
        calls = []

        def f(x, error=error, calls=calls):
            calls.append(x)
            raise error

        with pytest.raises(error):
            grad(f)(1.0)
        assert len(calls) == 1


def test_the_check_on_plain_numbers_does_not_touch_the_callers_array():
    """It gets a copy of its own."""

    def f(v):
        v[0] = 7.0
        return decimal.Decimal(v[1])

    point = np.array([1.0, 2.0])
    with pytest.raises(DetachedError):
        grad(f)(point)
    np.testing.assert_array_equal([1.0, 2.0], point)


def test_nothing_of_ours_is_shown_as_the_context():
    """A refusal is no error that happened while another one was handled."""
    with pytest.raises(DetachedError) as caught:
        grad(lambda x: np.random.default_rng(0).normal(x))(1.0)

    assert "During handling" not in "".join(traceback.format_exception(caught.value))


class Sub(np.ndarray):
    """A subclass whose constructor reads the memory of its argument, which no recorded array shows."""

    def __new__(cls, x):
        return super().__new__(cls, x.shape, float, x)


KEPT = {"p": 1.0}
COUNT = 1.0


class Keeps:
    """Stores what it computed in places of all kinds, then meets code that cannot be followed."""

    __slots__ = ("__dict__", "slot")
    of_class = 1.0

    def __init__(self):
        self.slot = 1.0
        self.array = np.eye(2)
        self.items = [1.0]

    def nothing(self, x):
        return Sub(x)

    def into_an_array(self, x):
        self.array = self.array * x[0]
        return Sub(x) + self.array[0]

    def into_a_new_attribute(self, x):
        self.n = getattr(self, "n", 1.0) * x[0]
        return Sub(x) * self.n

    def into_a_slot(self, x):
        self.slot = self.slot * x[0]
        return Sub(x) * self.slot

    def into_a_list(self, x):
        self.items.append(self.items[-1] * x[0])
        return Sub(x) * self.items[-1]

    def into_its_class(self, x):
        Keeps.of_class = Keeps.of_class * x[0]
        return Sub(x) * Keeps.of_class

    def into_a_dict_of_the_module(self, x):
        KEPT["p"] = KEPT["p"] * x[0]
        return Sub(x) * KEPT["p"]

    def into_a_global(self, x):
        global COUNT
        COUNT = COUNT * x[0]
        return Sub(x) * COUNT


@pytest.mark.parametrize("name", [name for name in vars(Keeps) if name.startswith(("into", "nothing"))])
@pytest.mark.parametrize("times", [1, 2])
def test_what_a_program_kept_does_not_hide_why_it_cannot_be_followed(name, times):
    """The message is that of a program that keeps nothing, the second time too."""
    kept = Keeps()
    for _ in range(times):
        with pytest.raises(DetachedError, match="a bytes-like object is required, not 'recorded ndarray'") as caught:
            jacobian(getattr(kept, name))(np.array([2.0, 3.0]))
        assert (caught.value.file, caught.value.line) == (__file__, line_of(Sub.__new__, 1))
    assert not any("recorded" in repr(type(part)) for part in (kept.slot, kept.array, *kept.items, KEPT["p"], COUNT))


def test_an_error_of_the_program_itself_is_that_of_a_plain_run():
    """From the state before it, and what it kept stays as a plain run leaves it."""

    class Model:
        steps = 0.0

        def loss(self, x):
            self.steps = self.steps + x
            raise ValueError(f"after {self.steps}")

    model = Model()
    with pytest.raises(ValueError, match=r"^after 2\.0$"):
        grad(model.loss)(2.0)
    assert model.steps == 2.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: math.exp(800 * x),
        lambda x: x**100000,
        lambda x: pow(3.0, 10000 * x),
        lambda x: math.cosh(900 * x) + x,
        lambda x: math.gamma(300 * x),
        lambda x: x * math.pow(3.0, 1e5),
    ],
)
@pytest.mark.parametrize("run", [grad, value_and_grad, lambda f: lambda x: trace(f, x)])
def test_an_overflow_has_advice(f, run):
    """The program's own error, with one note."""
    with pytest.raises(OverflowError) as caught:
        run(f)(1.5)

    assert caught.value.__notes__ == [OVERFLOW]


@pytest.mark.parametrize("f", [lambda x: int(x * math.inf), lambda x: x * 10**400, lambda x: x / 0])
def test_other_arithmetic_errors_do_not_have_it(f):
    """The advice would be wrong there."""
    with pytest.raises(ArithmeticError) as caught:
        grad(f)(1.5)

    assert OVERFLOW not in getattr(caught.value, "__notes__", ())
