"""Custom rules of JAX: those of its documents, and published ones."""

from typing import Any

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
from jax.test_util import check_grads

from benchmarks.other_libraries.claim import Claim

DOCUMENT = "docs.jax.dev, Custom derivative rules for JAX-transformable Python functions"
double_precision = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64


def by_tangents(value: Any, tangent: Any) -> Any:
    """A function with this value and this `tangent(primals, tangents)`."""
    made = jax.custom_jvp(value)
    made.defjvp(lambda primals, tangents: (value(*primals), tangent(primals, tangents)))
    return made


def by_cotangents(value: Any, backward: Any) -> Any:
    """A function with this value and this `backward(inputs, g)`."""
    made = jax.custom_vjp(value)
    made.defvjp(lambda *inputs: (value(*inputs), inputs), backward)
    return made


def accepted(function: Any, at: dict[str, Any]) -> bool:
    """Whether `jax.test_util.check_grads` accepts the rule of a function, in the modes that it has."""
    modes = ("fwd", "rev") if isinstance(function, jax.custom_jvp) else ("rev",)
    with double_precision(True):
        try:
            check_grads(function, [jnp.asarray(x) for x in at.values()], order=1, modes=modes)
        except AssertionError:
            return False
    return True


def root_of(a: Any) -> Any:
    """The fixed point of Newton's iteration x = (x + a/x)/2, by a fixed number of steps."""
    return jax.lax.fori_loop(0, 40, lambda _, x: (x + a / x) / 2, a)


def fixed_point_backward(inputs: Any, g: Any, solves: bool) -> Any:
    (a,) = inputs
    x = root_of(a)
    by_x = 0.5 * (1 - a / x**2) if solves else 0.5
    return (g / (1 - by_x) * 0.5 / x,)


def simplex(x: Any) -> Any:
    ordered = jnp.sort(x)[::-1]
    excess = (jnp.cumsum(ordered) - 1) / jnp.arange(1, len(x) + 1)
    return jnp.maximum(x - excess[jnp.sum(ordered > excess) - 1], 0)


def simplex_tangent(x: Any, t: Any, everywhere: bool) -> Any:
    taken = simplex(x) > 0
    mean = jnp.mean(t) if everywhere else jnp.sum(t * taken) / jnp.sum(taken)
    return taken * (t - mean)


def without_nan(x: Any, y: Any) -> Any:
    return jnp.where(y == 0, jnp.zeros_like(x), x * y)


def rooted(x: Any) -> Any:
    return x / (1 + jnp.sqrt(x))


def log1pexp(x: Any) -> Any:
    return jnp.log(1.0 + jnp.exp(x))


def xlogy(x: Any, y: Any) -> Any:
    return jnp.where(x == 0.0, 0.0, x * jnp.log(y))


LINE = np.array([-1.3, -0.2, 0.4, 1.1, 2.5])
SCORES = np.array([0.1, -0.2, 0.4, 0.9, 0.6])
PAIR = {"x": np.array([0.3, 1.2]), "y": np.array([0.5, 0.7])}

CLAIMS = [
    Claim("log1pexp", DOCUMENT,
          by_tangents(log1pexp, lambda p, t: (1 - 1 / (1 + jnp.exp(p[0]))) * t[0]),
          by_tangents(log1pexp, lambda p, t: (1 / (1 + jnp.exp(p[0]))) * t[0]), {"x": LINE}),
    Claim("f", DOCUMENT,
          by_cotangents(lambda x, y: jnp.sin(x) * y, lambda k, g: (jnp.cos(k[0]) * g * k[1], jnp.sin(k[0]) * g)),
          by_cotangents(lambda x, y: jnp.sin(x) * y, lambda k, g: (-jnp.cos(k[0]) * g * k[1], jnp.sin(k[0]) * g)),
          PAIR),
    Claim("f, a differentiation convention", DOCUMENT,
          by_tangents(rooted, lambda p, t: (jnp.sqrt(p[0]) + 2) / (2 * (jnp.sqrt(p[0]) + 1) ** 2) * t[0]),
          by_tangents(rooted, lambda p, t: (jnp.sqrt(p[0]) + 1) / (2 * (jnp.sqrt(p[0]) + 1) ** 2) * t[0]),
          {"x": np.array([0.3, 1.2])}),
    Claim("clip_gradient", DOCUMENT,
          by_cotangents(lambda x: 1.0 * x, lambda k, g: (jnp.clip(g, -10.0, 10.0),)),
          by_cotangents(lambda x: 1.0 * x, lambda k, g: (jnp.clip(g, -0.75, 0.75),)), {"x": LINE}),
    Claim("fixed_point", DOCUMENT,
          by_cotangents(root_of, lambda k, g: fixed_point_backward(k, g, True)),
          by_cotangents(root_of, lambda k, g: fixed_point_backward(k, g, False)), {"a": 2.0}),
    Claim("multiply_no_nan", "distrax, _src/utils/math.py",
          by_tangents(without_nan, lambda p, t: t[0] * p[1] + p[0] * t[1]),
          by_tangents(without_nan, lambda p, t: t[0] * p[0] + p[1] * t[1]), PAIR),
    Claim("projection_unit_simplex", "jaxopt, _src/projection.py",
          by_tangents(simplex, lambda p, t: simplex_tangent(p[0], t[0], False)),
          by_tangents(simplex, lambda p, t: simplex_tangent(p[0], t[0], True)), {"x": SCORES}),
    Claim("xlogy", "JAX, _src/scipy/special.py",
          by_tangents(xlogy, lambda p, t: jnp.log(p[1]) * t[0] + p[0] / p[1] * t[1]),
          by_tangents(xlogy, lambda p, t: jnp.log(p[1]) * t[0] + t[1] / p[1]), PAIR),
]  # fmt: skip
