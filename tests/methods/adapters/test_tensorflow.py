"""Functions of TensorFlow's with a gradient of their own, and functions of tensors."""

import numpy as np
import pytest

import gradcli

tf = pytest.importorskip("tensorflow")

POINT = {"x": np.array([0.3, 1.2]), "y": np.array([0.5, 0.7])}


def with_factor(factor):
    """The product sin(x) y, whose gradient by y has this factor too many, and the second result y²."""

    @tf.custom_gradient
    def product(x, y):
        def backward(g, h):
            return tf.cos(x) * y * g, factor * tf.sin(x) * g + 2 * y * h

        return (tf.sin(x) * y, y * y), backward

    return product


def annotated(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.sin(x) * y)


RIGHT, WRONG = with_factor(1.0), with_factor(-1.0)


@pytest.mark.parametrize("of", ["gradient", "hessian"])
@pytest.mark.parametrize(("function", "verdict"), [(RIGHT, "pass"), (WRONG, "fail"), (annotated, "pass")])
def test_a_gradient_is_judged_against_the_functions_own_values(function, verdict, of):
    assert gradcli.check(function, at=POINT, of=of).verdict == verdict


def test_the_failing_input_is_named():
    failed = {row.name[0] for row in gradcli.check(WRONG, at=POINT).components if row.verdict.value == "FAIL"}
    assert failed == {"y"}
