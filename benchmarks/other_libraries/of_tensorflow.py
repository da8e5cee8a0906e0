"""Custom gradients of TensorFlow: that of its documents, and published ones."""

from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.other_libraries.claim import Claim

CLOSE = 1e-3  # relative distance of the two Jacobians of `tf.test.compute_gradient`, which says no more than them


def custom(value: Any, backward: Any) -> Any:
    """A function of x with this value and this `backward(x, g)`."""

    @tf.custom_gradient
    def made(x: Any) -> Any:
        return value(x), lambda g: backward(x, g)

    return made


def accepted(function: Any, at: dict[str, Any]) -> bool:
    """Whether the two Jacobians of `tf.test.compute_gradient` agree."""
    theirs, by_differences = tf.test.compute_gradient(function, [tf.constant(x, tf.float64) for x in at.values()])
    return all(np.allclose(x, y, rtol=CLOSE, atol=1e-6) for x, y in zip(theirs, by_differences, strict=True))


LINE = {"x": np.array([-1.3, -0.2, 0.4, 1.1, 2.5])}

CLAIMS = [
    Claim("log1pexp", "tensorflow.org, tf.custom_gradient",
          custom(lambda x: tf.math.log(1 + tf.exp(x)), lambda x, g: g * (1 - 1 / (1 + tf.exp(x)))),
          custom(lambda x: tf.math.log(1 + tf.exp(x)), lambda x, g: g / (1 + tf.exp(x))), LINE),
    Claim("log1psquare", "TensorFlow Probability, python/math/generic.py",
          custom(lambda x: tf.math.log1p(x**2), lambda x, g: g * 2 * x / (1 + x**2)),
          custom(lambda x: tf.math.log1p(x**2), lambda x, g: g * x / (1 + x**2)), LINE),
]  # fmt: skip
