"""Which rows of a run cost how much of the value and of the gradient."""

import math

import numpy as np

from gradcli.answers.explain import error_contributions
from gradcli.methods.numerics import rounding
from gradcli.methods.transforms.gradients import trace

HALF_ULP = rounding.HALF_ULP


def bell(x):
    return (1 - math.cos(x)) / x**2


def shares(found, run):
    """The parts of the total by the operation."""
    return {node.operation: share / found.total for node, share in zip(run.nodes, found.nodes, strict=True) if share}


def test_the_costliest_node_of_a_value():
    """The rounding of the cosine is all that is left of the difference."""
    tape = trace(bell, 1e-4)
    found = shares(error_contributions.of_value(tape, HALF_ULP), tape)

    assert found["cos"] > 0.99


def test_the_total_is_the_bound():
    tape = trace(bell, 0.3)
    (bound,) = rounding.value_errors(tape, [tape.result_index()])

    assert math.isclose(bound, error_contributions.of_value(tape, HALF_ULP).total, rel_tol=0.01)


def test_the_shares_of_a_component():
    """The derivative suffers a hundred million times more than the value."""
    tape = trace(bell, 1e-4)
    of_value, of_slope = (
        error_contributions.of_value(tape, HALF_ULP),
        error_contributions.of_component(tape, 0, (), HALF_ULP),
    )

    assert 1e4 < of_slope.total / of_value.total < 1e5
    assert shares(of_slope, tape)["cos"] > 0.99


def test_a_component_of_an_array():
    tape = trace(lambda x: x[0] * 3.3 + bell(x[1]), np.array([2.0, 1e-4]))
    totals = [error_contributions.of_component(tape, 0, (n,), HALF_ULP).total for n in range(2)]

    assert totals[0] < 1e-15
    assert totals[1] > 1e-4


def test_nothing_is_printed_or_warned_of_again(capsys):
    """The program has run before; warnings are errors here."""

    def f(x):
        print("here")
        return 2.0 if x > 1 else 1.0

    tape = trace(f, 2.0)
    assert error_contributions.of_component(tape, 0, (), HALF_ULP).total == 0
    assert capsys.readouterr().out == "here\n"


def test_the_sweep_has_a_share_too():
    """Of the cube of a sum, the derivative is computed by operations that are no rows of the run."""
    tape = trace(lambda x: (x + 0.1) ** 3, 0.3)

    assert error_contributions.of_component(tape, 0, (), HALF_ULP).rest > 0


def test_the_total_bounds_the_error_of_a_component():
    """The bound of the sweep is of the same size."""
    tape = trace(lambda x: math.exp(math.sin(x)) / (x + 0.1), 0.3)
    (bound,) = rounding.sweep_errors(tape, tape.result_index(), list(tape.input_indices()))

    assert 0.2 * bound < error_contributions.of_component(tape, 0, (), HALF_ULP).total < 5 * bound
