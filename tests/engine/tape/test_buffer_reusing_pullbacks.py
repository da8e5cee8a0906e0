"""The pulls of large arrays: the same numbers as those of small ones, written over what nobody reads any more."""

import tracemalloc

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.memory.released_arrays import LARGE
from gradcli.engine.tape.pullbacks import operation
from gradcli.mathematics import rules
from gradcli.mathematics.rules.rule_types import Elementwise

pytestmark = pytest.mark.sampled(4)  # many like cases

SHAPE = (3, LARGE)
ELEMENTWISE = [rule for rule in rules.RULES.values() if isinstance(rule, Elementwise) and not rule.custom]
RULES = {rule.name: rule for rule in ELEMENTWISE if not rule.selects and not rule.special}
NUMBERS = [0.5, 2.0]  # what the last argument is, where it is no array


def contributions(pull, row, *more):
    """What a pull adds to the cotangents of a row's arguments, which were none."""
    cts = [UNTOUCHED] * len(row[3::2])
    with np.errstate(all="ignore"):
        pull(*more[:1], cts, row, *more[1:])
    return cts


def assert_the_same(done, arguments, ct):
    """A row is pulled alike in all ways, and neither its operands nor a cotangent of another's is written over."""
    if done.pull_large is None:  # nothing is computed
        assert {"0", "1"} >= {done.slopes.texts[n] for n in done.recorded}
        return
    with np.errstate(all="ignore"):
        v = done.rule.on_arrays(*arguments)
    row = (done, v, *(part for n, x in enumerate(arguments) for part in (n if n in done.recorded else -1, x)))
    before = [np.copy(x) for x in (v, *arguments)]
    plain = contributions(done.pull, row, ct.copy())
    for is_own in (False, True):
        given = ct.copy()
        for expected, found in zip(plain, contributions(done.pull_large, row, given, is_own), strict=True):
            np.testing.assert_array_equal(expected, found)
            assert expected is found or expected.dtype == found.dtype
        if not is_own:
            np.testing.assert_array_equal(ct, given)
    for expected, found in zip(before, (v, *arguments), strict=True):
        np.testing.assert_array_equal(expected, found)


def numbers(seed, dtype="d", shape=SHAPE):
    """Random numbers of both signs, some of them zero."""
    rng = np.random.default_rng(seed)
    return (np.round(rng.normal(size=shape), 1) + rng.choice([0, 1e-9], shape)).astype(dtype)


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", sorted(RULES))
def test_each_rule_pulls_as_it_does_of_small_arrays(name, dtype):
    """Bit for bit, of arrays of one shape and type."""
    rule = RULES[name]
    places = tuple(n for n, text in enumerate(rule.partials) if text is not None)
    arguments = [numbers(n, dtype) for n in range(len(rule.parameters))]
    for recorded in {places, places[:1], places[-1:]}:
        done = operation(rule, recorded, arrays=True)
        assert_the_same(done, arguments, numbers(7, dtype))


@pytest.mark.parametrize("name", ["mul", "div", "pow", "hypot", "atan2", "sub", "logaddexp"])
@pytest.mark.parametrize(
    "other",
    [
        2.0,
        3,
        np.float64(1.5),
        2j,
        numbers(1, "f"),
        numbers(1, "i8"),
        numbers(1)[:1],
        numbers(1, "D"),
        numbers(1, shape=()),
    ],
    ids=["float", "int", "float64", "complex", "float32", "int64", "broadcast", "complex128", "0-d"],
)
def test_operands_of_another_kind(name, other):
    """Python's numbers, other types and shapes that are broadcast."""
    if np.iscomplexobj(other) and RULES[name].on_complex is None:
        pytest.skip("of real numbers alone")
    rule = RULES[name]
    for arguments, at in (([numbers(2), other], 0), ([other, numbers(2)], 1)):
        ct = numbers(3, np.result_type(*arguments))
        assert_the_same(operation(rule, (at,), arrays=True), arguments, ct)
        if getattr(other, "dtype", np.dtype(int)).kind in "fc":
            assert_the_same(operation(rule, (0, 1), arrays=True), arguments, ct)


@pytest.mark.parametrize("number", [-1, 2, 3, 4])
def test_powers_by_a_number(number):
    rule = RULES["pow"]
    done = operation(rule, (0,), arrays=True, slopes=rule.slopes_at[number])

    assert_the_same(done, [numbers(2), number], numbers(3))


@pytest.mark.parametrize("shape", [SHAPE, SHAPE[1:], ()])
def test_a_constant_partial_of_an_argument_that_is_broadcast(shape):
    """What is multiplied is the cotangent in the shape of the argument, a number where that has no axes."""
    rule = Elementwise("thirds", ("x", "y"), "x - 2 / 3 * y", ("1", "-2 / 3"))
    for recorded in ((0, 1), (1,)):
        assert_the_same(operation(rule, recorded, arrays=True), [numbers(1), numbers(2, shape=shape)], numbers(3))


def test_the_operations_of_a_partial_write_into_one_array():
    x, ct = numbers(1), numbers(2)
    done = operation(RULES["tanh"], (0,), arrays=True)
    row = (done, np.tanh(x), 0, x)
    contributions(done.pull_large, row, ct, False)  # compiles it
    tracemalloc.start()
    try:
        done.pull_large(ct, [UNTOUCHED], row, False)
        assert tracemalloc.get_traced_memory()[1] < 1.5 * ct.nbytes
    finally:
        tracemalloc.stop()


def test_the_sweep_of_a_chain_is_that_of_small_arrays():
    """One large array and its numbers in small ones have the same gradient, whatever is read twice on the way."""

    def f(x):
        y = np.tanh(x) * x
        return np.sum(np.sin(y) / (2.0 + y**2) - y + np.log1p(np.exp(x + y)))

    x = numbers(4)
    pieces = [grad(f)(part) for part in np.split(x.reshape(-1), 3 * LARGE // 8)]

    np.testing.assert_array_equal(np.concatenate(pieces), grad(f)(x).reshape(-1))


def test_a_sweep_that_is_asked_for_everything_writes_over_no_cotangent():
    """The sensitivities of all nodes are those of a program that ends at each."""
    run = trace(lambda x: np.sum(np.exp(np.tanh(x * 2.0)) * 3.0), x := numbers(5))
    (_, double, tanh, exp, _, _) = run.sensitivities()

    np.testing.assert_array_equal(np.full(SHAPE, 3.0), exp)
    np.testing.assert_array_equal(3.0 * np.exp(np.tanh(x * 2.0)), tanh)
    np.testing.assert_array_equal(tanh * np.square(1 / np.cosh(x * 2.0)), double)
