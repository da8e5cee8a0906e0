"""The forward sweep in the user's names: what each moving operand adds to the tangent of a statement."""

import numpy as np

from gradcli.answers.explain.forward_mode_steps import ForwardExplanation
from gradcli.queries.bound_target import ask


def explained(target, at, *moving):
    """The explanation of a run whose inputs have these tangents, and its additions in order."""
    recording = ask(target, at).record(names=True)
    explanation = ForwardExplanation(recording, dict(zip(recording.input_indices(), moving, strict=True)))
    return explanation, [each for statement in explanation.forwards() for each in explanation.additions(statement)]


PRODUCT = """import math
def f(x, y):
    t = x * y
    return math.sin(t) + x
"""
WRITE = """import numpy as np
def f(x):
    w = np.zeros(3)
    w[1] = 2.0 * x
    return np.sum(w * w)
"""


def test_each_moving_operand_adds_to_the_tangent(program):
    explanation, additions = explained(program(PRODUCT), "2,3", 1.0, 10.0)
    cosine = np.cos(6.0)

    assert [f"{each.name} += {each.term}" for each in additions] == [
        "d_t += y * d_x", "d_t += x * d_y", "d_result += d_x", "d_result += cos(t) * d_t",
    ]  # fmt: skip
    assert [(each.before, each.after) for each in additions] == [
        (0.0, 3.0), (3.0, 23.0), (0.0, 1.0), (1.0, 1.0 + cosine * 23.0),
    ]  # fmt: skip
    assert all(each.after == each.before + each.amount for each in additions)
    assert [explanation.reverse.operands[name] for name in ("d_x", "d_y", "d_t")] == [1.0, 10.0, 23.0]


def test_an_operand_that_stands_still_adds_nothing(program):
    _, additions = explained(program(PRODUCT), "2,3", 0.0, 1.0)

    assert [each.term for each in additions] == ["x * d_y", "cos(t) * d_t"]


def test_a_write_moves_its_place_alone(program):
    _, additions = explained(program(WRITE), "3", 1.0)

    write, *_ = additions

    assert (write.name, write.term, write.amount) == ("d_w#2[1]", "2.0 * d_x", 2.0)
