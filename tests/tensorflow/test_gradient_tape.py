"""TensorFlow's eager interface: what the seeds' listings print, and the rules of variables and tapes."""

import copy
import gc
import math
import operator
import pickle
import threading
import weakref

import numpy as np
import pytest

import gradcli
from gradcli import GradientTape, Variable, cast, constant
from gradcli.errors import DetachedError, FindingWarning, ForeignTapeError, PointError, ResultError, UsageError


def f4(abcd):
    """The surface of a box in four dimensions."""
    return 2.0 * sum(abcd[i] * abcd[j] * abcd[k] for i, j, k in [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])


def collatz_like(a):
    """A loop and a branch that depend on the value."""
    b = a * 2
    while np.linalg.norm(b) < 1000:
        b = b * 2
    return b if np.sum(b) > 0 else 100 * b


def assigned_inside(v):
    y = v * v
    v.assign(5.0)
    return y + v * v


def detached(x):
    """A stopped factor counts as a constant."""
    return 2 * gradcli.stop_gradient(x**3) * x


def summed_in_place(x):
    loss, y = 0.0, x * x
    for n in range(3):
        loss += np.sum(y) * n
        y *= x
    return loss


def copied(x):
    return copy.deepcopy({"y": x * x})["y"] + copy.copy(x * x)


BOX = [1.0, 2.0, 3.0, 4.0]
# A program, the number of its variable, and the value and the gradient, or None where nothing is connected.
PROGRAMS = {
    "f4": (f4, BOX, 100.0, [52.0, 38.0, 28.0, 22.0]),
    "with a box twice as large": (lambda p: f4(p) + f4(2 * p), BOX, 900.0, [468.0, 342.0, 252.0, 198.0]),
    "twice the square": (lambda x: 2 * np.dot(x, x), np.arange(4.0), 28.0, [0.0, 4.0, 8.0, 12.0]),
    "sum": (np.sum, np.arange(4.0), 6.0, np.ones(4)),
    "a target that is summed": (
        lambda x: (2 * (x**2)) + (3 * x) + 10, np.arange(4.0), [10.0, 15.0, 24.0, 37.0], [3.0, 7.0, 11.0, 15.0],
    ),
    "control flow": (collatz_like, 0.6, 2048.0 * 0.6, 2048.0),
    "square of a matrix": (lambda w: w * w, [[1.0]], [[1.0]], [[2.0]]),
    "square of a sum": (lambda x: np.square(np.sum(x)), np.ones((2, 2)), 16.0, np.full((2, 2), 8.0)),
    "detached": (detached, np.arange(4.0), [0.0, 2.0, 32.0, 162.0], [0.0, 2.0, 16.0, 54.0]),
    "assigned inside": (assigned_inside, 3.0, 34.0, 16.0),
    "cast to float32": (lambda x: np.sum(cast(x, np.float32) * 3), [1.0, 2.0], 9.0, [3.0, 3.0]),
    "cast to integers": (lambda x: np.sum(cast(x, np.int64) * 2.0), [1.5, 2.5], 6.0, None),
    "summed in place": (summed_in_place, [1.0, 2.0], 2 * 17.0 + 9.0, [11.0, 76.0]),
    "copied": (copied, [1.0, 2.0], [2.0, 8.0], [4.0, 8.0]),
}  # fmt: skip


def gradient_of(f, *sources, **options):
    """The gradients of what a program computes of some sources, as numbers, or None."""
    with GradientTape(**options) as tape:
        y = f(*sources)
    found = [g if g is None else g.tolist() for g in tape.gradient(y, list(sources))]
    return found if sources[1:] else found[0]


@pytest.mark.parametrize(("f", "at", "value", "gradient"), PROGRAMS.values(), ids=PROGRAMS)
def test_value_and_gradient(f, at, value, gradient):
    x = Variable(at)
    with GradientTape() as tape:
        y = f(x)
    found = tape.gradient(y, x)

    np.testing.assert_array_equal(y.numpy(), value)
    np.testing.assert_array_equal(found if found is None else found.numpy(), gradient)
    assert found is None or found.dtype == np.float64


def test_f4_of_a_variable_is_its_value():
    """f4 takes a variable as it takes a list."""
    assert f4(Variable([3.0, 4.0, 5.0, 6.0])).numpy() == 684.0


def test_regression():
    """500 steps of the seeds' regression, from w = 1 and b = 0, end within 0.02 of y = 2x - 1."""
    x = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0])
    y = np.array([-3.0, -1.0, 1.0, 3.0, 5.0, 7.0])
    w, b = Variable(1.0), Variable(0.0)
    for _ in range(500):
        with GradientTape(persistent=True) as tape:
            loss = np.abs(y - (w * x + b))
        w.assign_sub(tape.gradient(loss, w) * 0.001)
        b.assign_sub(tape.gradient(loss, b) * 0.001)
    assert (w.numpy(), b.numpy()) == pytest.approx((2.0, -1.0), abs=0.02)


class TestVariable:
    """A tensor that can be assigned."""

    def test_texts(self):
        v = Variable([1.0, 2.0], name="v")
        assert str(v) == "<Variable 'v' shape=(2,) dtype=float64 value=array([1., 2.])>"
        assert f"{constant(4)}, {constant(2.5):.2f} and {constant([1.0, 2.0])}" == "4, 2.50 and [1. 2.]"
        assert f"{Variable(1, name='v')} {Variable(1):d}" == "<Variable 'v' shape=() dtype=int64 value=np.int64(1)> 1"

    @pytest.mark.parametrize(
        ("make", "said"),
        [
            (lambda: Variable(np.ones(4), shape=(2, 2)), r"shape \(4,\) is not the given shape \(2, 2\)"),
            (lambda: Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0]), "cannot be assigned"),
            (lambda: constant([1, 2, 3, 4], shape=(2, 3)), "4 numbers do not fill"),
            (lambda: cast(Variable(1.0), "nonsense"), "no array of the type 'nonsense'"),
            (lambda: cast("a", float), "could not convert string"),
            (lambda: constant("a", dtype="int8"), r"no array of the type 'int8' can be made .*'a'"),
            (lambda: Variable({1.0}), "a tensor consists of numbers, not a set"),
            (lambda: operator.iadd(Variable(2.0), 1.0), r"changed in place\n.*v\.assign_add\(x\)"),
        ],
    )
    def test_refusals(self, make, said):
        with pytest.raises(UsageError, match=said):
            make()

    def test_dtype_is_kept(self):
        x = Variable([1.0, 2.0], dtype=np.float32)
        with GradientTape() as tape:
            y = np.sum(x * x)
        assert tape.gradient(y, x).dtype == np.float32

    def test_assignments(self):
        """What was read before, and an array that was handed out, stay what they were."""
        v = Variable(1.0)
        v.assign(5.0).assign_add(2.0)
        before = v.read_value()
        v.assign_sub(3.0)
        assert (before.numpy(), v.numpy()) == (7.0, 4.0)

        w = Variable([1.0, 2.0])
        w.numpy()[0] = 9.0
        assert w.tolist() == [1.0, 2.0]

    def test_what_is_not_watched(self):
        """Constants and variables that are not trainable have to be watched by hand."""
        for x in (Variable(3.0, trainable=False), constant(3.0)):
            assert gradient_of(lambda x: x * x, x) is None

    def test_integer_variable_warns(self):
        with pytest.warns(FindingWarning, match="only floats carry a derivative") as told:
            assert gradient_of(lambda n: n * 2, Variable([1, 2])) is None
        assert {__file__} == {each.filename for each in told}

    def test_constants(self):
        assert constant(-1.0, shape=(2, 3)).tolist() == [[-1.0] * 3] * 2
        assert constant("a").numpy() == "a"
        assert bool(constant(True))
        assert Variable(lambda: 2.0).numpy() == 2.0
        assert cast([1.7, 2.2], int).tolist() == [1, 2]


class TestTypes:
    """A type holds the numbers that it is given, or says that it does not."""

    @pytest.mark.parametrize(
        ("value", "dtype"),
        [([0.5, 1.0], np.int64), (300, np.uint8), (-1, np.uint16), (math.nan, np.int32), (1 + 2j, float)],
    )
    @pytest.mark.parametrize("make", [constant, Variable])
    def test_numbers_that_it_does_not_hold_are_refused(self, make, value, dtype):
        """Nothing is cut off without a word; `cast` does it."""
        with pytest.raises(UsageError, match=r"cannot hold these numbers(.|\n)*gradcli\.cast\(x, "):
            make(value, dtype=dtype)

    @pytest.mark.parametrize(
        ("value", "dtype"), [([2.0, 3.0], int), (5, np.float16), (2, bool), (2**70, float), ("a", str)]
    )
    def test_numbers_that_it_holds(self, value, dtype):
        assert np.dtype(dtype).kind == constant(value, dtype=dtype).dtype.kind
        assert np.all(np.array(value).astype(dtype) == Variable(value, dtype=dtype).numpy())

    @pytest.mark.parametrize("change", ["assign", "assign_add", "assign_sub"])
    def test_a_step_that_an_integer_variable_cannot_take_is_refused(self, change):
        """A counter counts, and a weight made of integers is told before it stands still."""
        n = Variable(3)
        with pytest.raises(UsageError, match="dtype int64 cannot hold these numbers"):
            getattr(n, change)(0.5)
        assert n.assign_add(1).dtype == np.int64
        assert n.numpy() == 4

    @pytest.mark.parametrize("change", ["assign", "assign_add", "assign_sub"])
    def test_steps_that_are_no_numbers(self, change):
        v = Variable(3.0, name="v")
        with pytest.raises(
            UsageError, match=r"None cannot be assigned to the variable 'v'(.|\n)*gradient is None where"
        ):
            getattr(v, change)(None)
        with pytest.raises(UsageError, match="not a dict"):
            getattr(v, change)({})

    def test_a_constant_of_recorded_tensors_is_told(self):
        x = Variable(3.0)
        with (
            GradientTape() as tape,
            pytest.warns(FindingWarning, match=r"G402: a recorded tensor is converted to a constant(.|\n)*np\.stack"),
        ):
            y = np.sum(constant([x, x * x])) + x
        assert tape.gradient(y, x).numpy() == 1.0


COMPLEX = {
    "size": lambda z: np.sum(np.abs(z) ** 2 * np.real(z)),
    "one part": lambda z: np.imag(z[0] ** 3 / z[1]),
    "both": lambda z: np.sum(np.real(np.exp(z * (1 + 2j))) * np.abs(np.conj(z) - z[0] * z[1])),
}


class TestComplex:
    """By a complex number it is df/dRe + i df/dIm, as in TensorFlow."""

    z = np.array([1.0 + 2.0j, 0.5 - 1.5j])

    def by_differences(self, f):
        """The same of central differences, over the real and the imaginary parts."""
        steps = np.eye(2) * 1e-6
        return [sum(unit * (f(self.z + unit * h) - f(self.z - unit * h)) / 2e-6 for unit in (1, 1j)) for h in steps]

    @pytest.mark.parametrize("f", COMPLEX.values(), ids=COMPLEX)
    def test_of_real_targets(self, f):
        v, c = Variable(self.z), constant(self.z)
        with GradientTape(persistent=True) as tape:
            tape.watch(c)
            y, z = f(v), f(c)
        np.testing.assert_allclose(self.by_differences(f), tape.gradient(y, v).numpy(), rtol=1e-7)
        np.testing.assert_array_equal(tape.gradient(y, v).numpy(), tape.gradient(z, c).numpy())

    def test_of_complex_targets(self):
        v, w = Variable(self.z), np.array([0.3 - 1.0j, 2.0j])
        with GradientTape(persistent=True) as tape:
            y = v * v[::-1] ** 2
        expected = self.by_differences(lambda z: np.sum(np.real(z * z[::-1] ** 2)))
        np.testing.assert_allclose(expected, tape.gradient(y, v).numpy(), rtol=1e-7)
        expected = self.by_differences(lambda z: np.sum(np.real(np.conj(w) * z * z[::-1] ** 2)))
        np.testing.assert_allclose(expected, tape.gradient(y, v, output_gradients=w).numpy(), rtol=1e-7)
        assert tape.gradient(v, v, output_gradients=[2j, 0.0]).numpy()[0] == 2j

    def test_second_derivatives(self):
        v, f = Variable(self.z), COMPLEX["size"]
        with GradientTape() as outer:
            with GradientTape() as inner:
                y = f(v)
            size = np.sum(np.abs(inner.gradient(y, v)) ** 2)
        expected = self.by_differences(lambda z: np.sum(np.abs(gradcli.grad(f)(z)) ** 2))
        np.testing.assert_allclose(expected, outer.gradient(size, v).numpy(), rtol=1e-7)

    def test_beside_real_numbers(self):
        x, z = Variable(3.0), constant(1.0 + 2.0j)
        with GradientTape() as tape:
            y = np.abs(x * z) ** 2
        np.testing.assert_allclose(30.0, tape.gradient(y, x).numpy(), rtol=1e-12)


class TestCopies:
    """Copies of variables are variables of their own, those of tensors the tensors; a pickle holds numbers."""

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
    def test_of_a_variable(self, copied):
        v = Variable([1.0, 2.0], name="v", trainable=False)
        other = copied(v)
        v.assign([3.0, 4.0])
        assert (other.name, other.trainable, other.tolist()) == ("v", False, [1.0, 2.0])

    def test_a_pickle_of_a_recorded_tensor(self):
        x = Variable([1.0, 2.0])
        with GradientTape():
            assert pickle.loads(pickle.dumps(x * x)).tolist() == [1.0, 4.0]


class TestAsPythonsNumbers:
    """What Python asks of a number, a sequence or an index."""

    def test_integers_are_indices(self):
        n, x = constant(2), Variable([1.0, 2.0, 3.0])
        assert 30 == [10, 20, 30][n]
        assert [10, 20] == [10, 20, 30][:n]
        assert list(range(n)) == [0, 1]
        with GradientTape() as tape:
            y = x[n] + np.sum(x[:n]) + x[constant([0, 1])][1]
        np.testing.assert_array_equal([1.0, 2.0, 1.0], tape.gradient(y, x).numpy())

    @pytest.mark.parametrize("tensor", [constant(1.0), constant([1]), Variable(True)])
    def test_others_are_none(self, tensor):
        with pytest.raises(TypeError, match="an index must be one integer, not a tensor of dtype"):
            [1, 2][tensor]

    def test_roundings(self):
        """Whole numbers, as of the number itself, without a derivative and without a warning."""
        x = Variable(2.7)
        with GradientTape() as tape:
            whole = [round(x), math.floor(x), math.ceil(x), math.trunc(x)]
            y = x * sum(whole)
        assert whole == [3, 2, 3, 2]
        assert tape.gradient(y, x).numpy() == 10.0
        assert round(constant(2.7654), 2).numpy() == 2.77
        assert round(constant([2.1, 2.9])).tolist() == [2.0, 3.0]

    def test_complex(self):
        assert complex(constant(1 + 2j)) == 1 + 2j
        assert complex(Variable(1.5)) == 1.5 + 0j

    def test_what_is_in_it(self):
        assert 2.0 in constant([[1.0, 2.0]])
        assert constant(3.0) not in Variable([1.0, 2.0])
        with pytest.raises(TypeError, match="a tensor without axes has no len"):
            len(constant(1.0))


class TestTape:
    """The rules of GradientTape."""

    def test_second_use_is_refused(self):
        """A tape that is not persistent gives one gradient."""
        x = Variable(2.0)
        with GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)
        with pytest.raises(UsageError, match="persistent=True"):
            tape.gradient(y, x)

    def test_persistent(self):
        """It may be asked while it records too, and of what it has computed by the way."""
        x = constant(3.0)
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            assert tape.gradient(y, x).numpy() == 6.0
            z = y * y
        assert [tape.gradient(z, source).numpy() for source in (x, y)] == [108.0, 18.0]
        assert tape.gradient(y, x).numpy() == 6.0

    def test_tape_without_a_block_is_refused(self):
        with pytest.raises(UsageError, match="recorded nothing"):
            GradientTape().gradient(constant(1.0), Variable(1.0))

    def test_structures_are_kept(self):
        """Dicts and lists of sources give dicts and lists of gradients; those of targets have output gradients."""
        a, b = Variable(2.0), Variable(3.0)
        with GradientTape(persistent=True) as tape:
            targets = {"product": a * b, "triple": 3 * a}
        gradient = tape.gradient(targets["product"], {"a": a, "rest": [b]})
        assert (gradient["a"].numpy(), gradient["rest"][0].numpy()) == (3.0, 2.0)
        assert tape.gradient(targets, a, output_gradients={"triple": 0.0, "product": 10.0}).numpy() == 30.0
        with pytest.raises(UsageError, match="do not have the structure of the target, of 2 tensors"):
            tape.gradient(targets, a, output_gradients=[1.0, 1.0])

    def test_output_gradients_weigh_the_target(self):
        x = Variable([1.0, 2.0, 3.0])
        with GradientTape() as tape:
            y = x * x
        assert tape.gradient(y, x, output_gradients=constant([1.0, 0.0, 10.0])).tolist() == [2.0, 0.0, 60.0]

    def test_unconnected_is_none_or_zero(self):
        """An unused source gives None, or zeros on request."""
        x, other = Variable([1.0, 2.0]), Variable([1.0, 2.0])
        with GradientTape(persistent=True) as tape:
            y = np.sum(x)
        assert tape.gradient(y, other) is None
        assert tape.gradient(y, other, unconnected_gradients="zero").tolist() == [0.0, 0.0]
        with pytest.raises(UsageError, match="it must be 'none' or 'zero'"):
            tape.gradient(y, other, unconnected_gradients="zeros")

    def test_what_is_recorded(self):
        """Nothing between `stop_recording` and its end, before `reset`, or on a tape that is closed."""
        x, y = Variable(3.0), Variable(2.0)
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            square = x * x
            with tape.stop_recording():
                factor = x * x
            z = square * factor * y
        assert [g if g is None else g.numpy() for g in tape.gradient(z, [x, y])] == [108.0, None]
        with GradientTape() as tape:
            square = x * x
            tape.reset()
            w = square + z * x
        assert tape.gradient(w, x).numpy() == 162.0

    def test_jacobian(self):
        """The Jacobian has the target's shape, then the source's."""
        x = Variable([1.0, 2.0, 3.0])
        with GradientTape() as tape:
            y = x[:2] * x[2]
        assert tape.jacobian(y, x).tolist() == [[3.0, 0.0, 1.0], [0.0, 3.0, 2.0]]

    def test_two_tapes_at_once(self):
        x = Variable(3.0)
        with GradientTape() as first, GradientTape() as second:
            y = x * x * x
        assert [tape.gradient(y, x).numpy() for tape in (first, second)] == [27.0, 27.0]

    def test_higher_derivatives(self):
        x = Variable(2.0)
        with GradientTape() as a:
            with GradientTape() as b:
                with GradientTape() as c:
                    y = x**4
                first = c.gradient(y, x)
            second = b.gradient(first, x)
        assert (first.numpy(), second.numpy(), a.gradient(second, x).numpy()) == (32.0, 48.0, 48.0)

    def test_threads_have_tapes_of_their_own(self):
        x, results = Variable(3.0), []
        with GradientTape() as tape:
            y = 5.0 * x
            thread = threading.Thread(target=lambda: results.append(gradient_of(lambda x: x * x, x)))
            thread.start()
            thread.join()
        assert (results, tape.gradient(y, x).numpy()) == ([6.0], 5.0)

    def test_memory_returns(self):
        """A tape and its tensors leave nothing behind without the garbage collector."""
        x = Variable(np.ones(3))
        gc.collect()
        gc.disable()
        try:
            with GradientTape() as tape:
                y = np.sum(x * x)
            gone = weakref.ref(tape)
            tape.gradient(y, x)
            del tape, y
            assert gone() is None
        finally:
            gc.enable()


class TestTargets:
    """What a gradient may be asked of."""

    def test_a_variable_is_connected_with_itself(self):
        a, b = Variable(2.0), Variable(3.0)
        with GradientTape(persistent=True) as tape:
            chosen = max([a, b])
        assert [g if g is None else g.numpy() for g in tape.gradient(chosen, [a, b])] == [None, 1.0]
        assert tape.gradient([chosen, b], b).numpy() == 2.0
        assert tape.gradient(chosen, b, output_gradients=7.0).numpy() == 7.0

    def test_a_source_among_the_targets(self):
        """It adds one to what the others add, whether it is a variable or a tensor that is watched or not."""
        v, x, c = Variable(2.0), constant(3.0), constant(4.0)
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = v * v + x * x + c * c
        assert [float(g) for g in tape.gradient([y, v, x, c], [v, x, c])] == [5.0, 7.0, 1.0]

    def test_output_gradients_are_recorded(self):
        """A derivative by the cotangent itself: forward mode, by two sweeps backwards."""
        x, dy = constant([1.0, 2.0]), constant([1.0, 1.0, 1.0])
        with GradientTape() as outer:
            outer.watch(dy)
            with GradientTape() as inner:
                inner.watch(x)
                y = np.stack([x[0] * x[1], x[0] ** 2, x[1] ** 3])
            pulled = inner.gradient(y, x, output_gradients=dy)
        pushed = outer.gradient(pulled, dy, output_gradients=[10.0, 1.0])
        np.testing.assert_array_equal([21.0, 20.0, 12.0], pushed.numpy())

    @pytest.mark.parametrize(
        ("target", "message"),
        [
            (None, "None is not a target\n.*may be a gradient that was None"),
            (2.0, "a float is not a target"),
            (np.ones(2), "a ndarray is not a target"),
            ("y", "a str is not a target"),
        ],
    )
    def test_others_are_refused(self, target, message):
        x = Variable(2.0)
        with GradientTape() as tape:
            y = x * x
        for ask in (tape.gradient, tape.jacobian):
            with pytest.raises(UsageError, match=message):
                ask(target, x)
        assert tape.gradient(y, x).numpy() == 4.0

    def test_jacobians_take_one_target(self):
        x = Variable([1.0, 2.0])
        with GradientTape() as tape:
            y = x * x
        with pytest.raises(UsageError, match=r"a list is not a single target\n.*one tensor after another"):
            tape.jacobian([y, y], x)
        with pytest.raises(UsageError, match="a str is not a source"):
            tape.jacobian(y, "x")

    @pytest.mark.parametrize("rows", [0, 2])
    def test_jacobians_without_numbers(self, rows):
        """Their shapes are what they would be with numbers; what is not connected is None."""
        x, other = Variable(np.ones((rows, 0))), Variable(np.ones((rows, 3)))
        with GradientTape(persistent=True) as tape:
            y = np.concatenate([x, x], axis=1)
        assert (rows, 0, rows, 0) == tape.jacobian(y, x).shape
        assert tape.jacobian(y, other) is None
        assert (rows, 0, rows, 3) == tape.jacobian(y, other, unconnected_gradients="zero").shape


class TestAmongTransforms:
    """In a function that a transform differentiates, a tensor is a constant."""

    @pytest.mark.parametrize(
        "f",
        [
            lambda x, w: np.sum(x * w * 3),
            lambda x, w: np.sum(w * x * 3),
            lambda x, w: np.multiply(w, x) @ w,
            lambda x, w: x @ w + w @ x + np.dot(w, x),
            lambda x, w: np.sum(np.where(w > 2, x, w) ** 2),
            lambda x, w: np.sum(np.concatenate([w, x]) ** 2),
            lambda x, w: np.sum(np.stack([x, w]) ** 2),
            lambda x, w: np.sum(np.maximum(x, w)),
            lambda x, w: x[0] * w[0] + w[1] * float(x[1]),
        ],
    )
    @pytest.mark.parametrize("kind", [constant, Variable])
    def test_a_tensor_is_a_constant(self, f, kind):
        """The gradient is that with a plain array in its place."""
        x, w = np.array([1.5, 2.5]), np.array([2.0, 3.0])
        np.testing.assert_array_equal(gradcli.grad(f)(x, w), gradcli.grad(lambda x: f(x, kind(w)))(x))

    @pytest.mark.parametrize("make", [constant, Variable, lambda x: Variable(1.0).assign(x)])
    def test_a_tensor_made_of_a_recorded_value_is_refused(self, make):
        with pytest.raises(DetachedError, match=r"gradcli\.constant"):
            gradcli.grad(lambda x: x * make(x))(3.0)

    def test_a_tensor_that_a_tape_records_is_refused(self):
        v = Variable(2.0)
        with GradientTape(), pytest.raises(ForeignTapeError):
            gradcli.grad(lambda x: x * v)(3.0)

    @pytest.mark.parametrize("transform", [gradcli.grad, gradcli.jacobian, gradcli.hessian])
    def test_a_tensor_is_no_point(self, transform):
        with pytest.raises(PointError, match=r"a Variable is not a point of plain numbers(\n|.)*x\.numpy\(\)"):
            transform(lambda x: x * x)(Variable(2.0))

    def test_a_tensor_is_no_point_of_a_check(self):
        with pytest.raises(PointError, match="is a Tensor"):
            gradcli.check(lambda x: x * x, at=(constant(2.0),), against=lambda x: 2 * x)

    def test_a_tensor_is_no_result(self):
        with pytest.raises(ResultError, match="returned a Tensor"):
            gradcli.grad(lambda x: constant(2.0) * 3.0)(1.0)


def in_an_array(x):
    """Written into a plain array, which is summed."""
    array = np.zeros(2)
    array[0] = x
    return array.sum()


class TestWhatLeavesTheTape:
    """Numbers that leave a recording tape by the way take no derivative along, and a warning says so."""

    @pytest.mark.parametrize("f", [lambda x: math.sin(x), lambda x: np.array([x, 1.0]).sum(), in_an_array])
    @pytest.mark.parametrize("kind", [lambda x: x, lambda x: x * 1.0], ids=["variable", "tensor"])
    def test_without_a_word_of_the_program(self, kind, f):
        x = Variable(2.0)
        with GradientTape() as tape, pytest.warns(FindingWarning, match=r"G402: .* write x.numpy\(\)") as said:
            y = x * x + f(kind(x))
        assert {__file__} == {each.filename for each in said}
        assert tape.gradient(y, x).numpy() == 4.0

    def test_where_it_is_meant(self):
        """`float(x)` and `x.numpy()` say so, and nothing leaves what is not recorded."""
        x, c = Variable(2.0), constant(3.0)
        with GradientTape() as tape:
            y = x * float(x) + x.numpy() + math.sin(c) + np.array([c, 1.0]).sum()
            assert math.isfinite(x)
            assert not math.isnan(y)
            with tape.stop_recording():
                assert math.sin(2.0) == math.sin(x)
        assert math.sin(2.0) == math.sin(x)
        assert tape.gradient(y, x).numpy() == 2.0


METHODS = {
    "parts": lambda x: np.sum(x.T @ x.real) * np.sum(x.imag + x),
    "shapes": lambda x: x.reshape(-1).ravel()[1] * x.flatten()[2] * x.transpose()[2, 0] * x.swapaxes(0, 1)[1, 1],
    "sums": lambda x: x.sum() * x.mean(axis=0).prod() + x.std(ddof=1) - x.var(),
    "extremes": lambda x: x.max(axis=1).min() * x[0, x.argmax() % 3],
    "steps": lambda x: x.cumsum(0).clip(-1.0, 1.5).trace() + x.copy().dot(np.ones(3)).sum() * x.size,
    "among tensors": lambda x: x.dot(x.T).sum() + x.repeat(2).take([0, 3]).sum() + x.squeeze().round(1).sum(),
}


class TestMethodsOfArrays:
    """Those that leave an array as it is are those of a tensor too."""

    @pytest.mark.parametrize("f", METHODS.values(), ids=METHODS)
    def test_gradients(self, f):
        x = np.array([[0.3, -0.7, 1.1], [0.5, 1.3, -0.2]])
        variable = Variable(x)
        with GradientTape() as tape:
            y = f(variable)
        value, gradient = gradcli.value_and_grad(f)(x)
        assert value == y.numpy()
        np.testing.assert_array_equal(gradient, tape.gradient(y, variable).numpy())

    def test_plain_numbers(self):
        """A number and lists, and how many there are."""
        assert (constant(2.5).item(), Variable([[1.0, 2.0]]).tolist(), constant([1, 2]).size) == (2.5, [[1.0, 2.0]], 2)

    @pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"])
    def test_an_operator_in_place_gives_the_name_another_tensor(self, name):
        a = before = constant([2.0, 3.0])
        expected = getattr(operator, name)(np.array([2.0, 3.0]), np.array([1.5, 2.0]))
        a = getattr(operator, "i" + name)(a, constant([1.5, 2.0]))

        np.testing.assert_array_equal(expected, a.numpy())
        np.testing.assert_array_equal([2.0, 3.0], before.numpy())

    def test_a_mask_is_narrowed_in_place(self):
        mask = constant([True, True])
        mask &= constant([True, False])
        assert mask.tolist() == [True, False]

    def test_what_changes_in_place(self):
        x, array = Variable([2.0, 1.0]), np.ones(2)
        with pytest.raises(AttributeError, match=r"no attribute 'put'"):
            x.put(0, 1.0)
        with pytest.raises(UsageError, match=r"np.multiply of a tensor would be written into an array"):
            array *= x
        with pytest.raises(UsageError, match="by `out=` or in place"):
            np.sin(x, out=array)
