"""A call that is run on a tape: what is entered of it, what is copied, and what it leads to."""

import numpy as np
import pytest

from gradcli import grad, hessian, jacobian, value_and_grad
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.errors import UsageError


def weighted(k, x, y):
    return k * x + y**2


def test_the_inputs_alone_are_entered():
    tape = new_tape()
    inputs, given = BoundCall(weighted, ("k", 2.0, [3.0]), (2, 1)).entered(tape)

    assert [[plain_value(inputs[0][0])], plain_value(inputs[1])] == [[3.0], 2.0]
    assert (given[0], is_recorded(given[1]), is_recorded(given[2][0]), len(tape)) == ("k", True, True, 2)


def test_an_argument_that_is_an_input_twice():
    assert grad(lambda x, k: k * x, (0, 0))(1.0, 2.0) == (2.0, 2.0)


def test_plain_copies_are_of_what_was_entered():
    """Neither the argument nor the input that the function wrote into is changed by them."""
    array, other = np.array([1, 2]), np.array([5.0])
    call = BoundCall(weighted, (other, array.astype(float), 3), (1, 2))
    inputs, given = call.entered(new_tape())
    given[1][0] = 7.0
    copies = call.plain(inputs)
    copies.arguments[0][0] = 9.0

    assert (copies.arguments[1].tolist(), copies.arguments[2], other[0]) == ([1.0, 2.0], 3.0, 5.0)
    assert (float, (1, 2)) == (type(copies.arguments[2]), copies.places)


@pytest.mark.parametrize("number", [1.5, 2 - 1j, np.float64(1.5), np.float32(1.5), np.complex128(2 - 1j)])
def test_a_plain_copy_of_a_number_has_its_type(number):
    """A complex number of Python's is not one of NumPy's, which has other methods and warnings."""
    call = BoundCall(abs, (number,), (0,))
    (copy,) = call.plain(call.entered(new_tape())[0]).arguments

    assert (type(number), number) == (type(copy), copy)


@pytest.mark.parametrize(
    ("places", "expected"),
    [((0, 1, 2), (2.0, 3.0, 4.0)), ((2, 0), (4.0, 2.0)), ((1,), (3.0,))],
)
def test_the_call_by_its_inputs(places, expected):
    call = BoundCall(weighted, (2.0, 3.0, 4.0), places).by_inputs()

    assert (expected, len(places)) == (call.arguments, len(call.places))
    assert call.function(*call.arguments) == 22.0


def test_what_the_arguments_lead_to_is_reached():
    enclosed, given = [1.0], {"a": np.ones(2)}
    found = BoundCall.of_inputs(lambda x: x["a"] * enclosed[0], (given,)).reached()

    assert {id(enclosed), id(given), id(given["a"])} <= {id(each) for each in found.holders}


def test_only_functions_are_called():
    """A value in place of a function is refused before anything runs."""
    with pytest.raises(UsageError, match=r"3\.0 is"):
        BoundCall.of_inputs(3.0, ())


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize("of", [grad, value_and_grad, jacobian, hessian])
def test_an_input_that_holds_itself(kind, of):
    given = kind()
    given.update(a=given) if kind is dict else given.append(given)

    with pytest.raises(UsageError, match=f"Argument 0 is a {kind.__name__} that holds itself"):
        of(lambda x: 1.0)(given)
