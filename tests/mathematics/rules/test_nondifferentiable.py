"""What is zero by declaration: plain results, kept as outcomes."""

import math

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.engine.tape.value import is_recorded
from gradcli.mathematics.language import float_functions, numpy_like_functions
from gradcli.mathematics.rules import functions
from gradcli.mathematics.rules.nondifferentiable import NUMPY, SHAPES, WORDS, Declared

pytestmark = pytest.mark.sampled(4)  # many like cases

POOL = [-2.5, -0.5, 0.0, 0.4, 1.0, 2.5, 7.0]
X = np.array([[1.5, -0.5, 2.0], [0.0, 3.5, -1.0]])


def arity(name):
    return 1 if name in ("floor", "ceil", "round", "trunc", "logical_not") else 2


def told(f, *arguments):
    """What a function of recorded values gives, and the outcomes of the run."""
    kept = []

    def program(*recorded):
        kept.append(f(*recorded))
        return recorded[0] * 1.0

    recording = trace(program, *arguments, names=False)
    return kept[0], recording.outcomes


# The words of the language


@pytest.mark.parametrize("name", WORDS)
def test_words_of_floats(name):
    for x in POOL:
        values = (x, 2.0)[: arity(name)]
        assert float_functions.IEEE[name](*values) == Declared(name)(*values)


@pytest.mark.parametrize("name", WORDS)
def test_words_of_arrays(name):
    values = (np.array(POOL), 2.0)[: arity(name)]
    np.testing.assert_array_equal(numpy_like_functions.functions(np)[name](*values), Declared(name)(*values))


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("x", [1.5, np.float64(1.5), np.array([1.5, -2.0])])
def test_words_of_recorded_values(name, x):
    values = (2.0,)[: arity(name) - 1]
    found, outcomes = told(lambda x: functions()[name](x, *values), x)
    assert not is_recorded(found)
    np.testing.assert_array_equal(Declared(name)(x, *values), found)
    assert [name] == [outcome.name for outcome in outcomes]


def test_words_are_known():
    assert repr(functions()["floor"]) == "<zero by declaration: floor>"


# NumPy's functions


Y = np.array([1.5, -0.5, 2.0])
CALLS = {
    **dict.fromkeys(
        """floor ceil rint trunc fix round around signbit spacing logical_not isfinite isinf isnan iscomplex isreal
        all any count_nonzero nonzero flatnonzero argwhere argmax argmin nanargmax nanargmin argsort
        isneginf isposinf linalg.matrix_rank array2string array_repr array_str""".split(),
        (X,),
    ),
    **dict.fromkeys(
        """floor_divide less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor
        isclose allclose array_equal array_equiv""".split(),
        (X, Y),
    ),
    "argpartition": (X, 1),
    "lexsort": (X,),
    "searchsorted": (np.sort(Y), 1.0),
    "digitize": (Y, np.array([0.0, 1.0])),
    "isin": (X, [2.0, 3.5]),
    **dict.fromkeys(
        """bitwise_and bitwise_or bitwise_xor bitwise_count invert left_shift right_shift gcd lcm isnat
        unravel_index""".split()
    ),
    "ravel_multi_index": None,
}
"""Arguments for each function; None for those that take integers only, which are never recorded."""


def numpys(name):
    return np.linalg.matrix_rank if name == "linalg.matrix_rank" else getattr(np, name)


def test_every_function_is_tested():
    """The table covers what is declared of NumPy's functions."""
    assert set(CALLS) == NUMPY - SHAPES


@pytest.mark.parametrize("name", sorted(name for name, arguments in CALLS.items() if arguments))
def test_functions_of_numpy(name):
    """The result is NumPy's own, plain, an outcome, and what the function gives where it is asked again."""
    function, (x, *rest) = numpys(name), CALLS[name]
    found, outcomes = told(lambda x: function(x, *rest), x)
    np.testing.assert_array_equal(found, function(x, *rest))
    assert not is_recorded(found)
    assert len(outcomes) == 1
    again, operands = outcomes[0].function, outcomes[0].operands
    np.testing.assert_array_equal(again(x + 1.0, *operands[1:]), function(x + 1.0, *rest))


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x: np.argmax(x, axis=1), [2, 1]),
        (lambda x: np.argsort(x[0], kind="stable"), [1, 0, 2]),
        (lambda x: x.argmax(axis=0), [0, 1, 0]),
        (lambda x: np.round(x, 0), [[2.0, -0.0, 2.0], [0.0, 4.0, -1.0]]),
        (lambda x: np.argmax([x[0, 0], 9.0, x[0, 2]]), 1),
        (lambda x: np.searchsorted([0.0, 1.0], v=x[0]), [2, 0, 2]),
        (lambda x: np.any(x > 3, axis=1), [False, True]),
        (lambda x: np.logical_or.reduce(x > 3), [False, True, False]),
        (lambda x: (x > 1) & (x < 3), [[True, False, True], [False, False, False]]),
        (lambda x: x.astype(int), [[1, 0, 2], [0, 3, -1]]),
        (lambda x: x.astype(bool), [[True, True, True], [False, True, True]]),
        (lambda x: x // 1, [[1.0, -1.0, 2.0], [0.0, 3.0, -1.0]]),
        (lambda x: 3.0 // x[0], [2.0, -6.0, 1.0]),
    ],
)
def test_with_options(f, wanted):
    found, _ = told(f, X)
    assert not is_recorded(found)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "name", sorted(SHAPES - {"shares_memory", "may_share_memory", "can_cast", "isscalar", "diag_indices_from"})
)
def test_what_asks_for_shape_or_type_is_no_fact(name):
    function = getattr(np, name)
    found, outcomes = told(function, X)
    if name != "empty_like":
        np.testing.assert_array_equal(found, function(X))
    assert outcomes == ()
    assert np.shape(found) == np.shape(function(X))


# Programs


@pytest.mark.parametrize(
    ("f", "x", "wanted"),
    [
        (lambda x: x * math.floor(x), 2.5, 2.0),
        (lambda x: x * round(x), 2.4, 2.0),
        (lambda x: x * int(x), 2.5, 2.0),
        (lambda x: x * (x // 2), 5.0, 2.0),
        (lambda x: sum(divmod(x, 2.0)), 5.5, 1.0),
        (lambda x: x * np.floor(x), np.float64(2.5), 2.0),
        (lambda x: x * (x > 1), 2.5, 1.0),
        (lambda x: x * np.sum(np.divmod(x, 2.0)[0]), np.float64(5.5), 2.0),
    ],
)
def test_the_derivative_is_zero(f, x, wanted):
    assert grad(f)(x) == wanted


def test_a_replay_asks_again():
    recording = trace(lambda x: x[np.argmax(x)] * 2.0, np.array([1.0, 3.0]), names=False)
    assert recording.replay(np.array([5.0, 3.0])).sensitivities()[0].tolist() == [2.0, 0.0]
