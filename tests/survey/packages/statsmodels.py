"""statsmodels: links, variance functions, robust norms, generators of copulas and discrete models."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from tests.survey.case import Case, elementwise

RELEASE = "statsmodels==0.15.0"

SHARES = [0.15, 0.4, 0.85]
MEANS = [0.3, 1.2, 4.5]
PREDICTORS = [-1.3, -0.2, 0.7]
SIGN = "the sign of the slope, which is negative"
MIXED = "before a fit the score is by log(alpha), and the Hessian by alpha"
RESIDUALS = [-5.3, -2.6, -1.2, 0.4, 1.7, 3.3]


def cases() -> Iterator[Case]:
    """All of them."""
    yield from links()
    yield from variances()
    yield from norms()
    yield from generators()
    yield from models()


def links() -> Iterator[Case]:
    """Each link, its derivatives, and those of its inverse."""
    from statsmodels.genmod.families import links as of

    for link, at, z in (
        (of.Logit(), SHARES, PREDICTORS),
        (of.Power(1.7), MEANS, MEANS),
        (of.InversePower(), MEANS, MEANS),
        (of.Sqrt(), MEANS, MEANS),
        (of.InverseSquared(), MEANS, MEANS),
        (of.Log(), MEANS, PREDICTORS),
        (of.LogC(), SHARES, [-1.3, -0.2, -0.7]),
        (of.Probit(), SHARES, PREDICTORS),
        (of.Cauchy(), SHARES, PREDICTORS),
        (of.CLogLog(), SHARES, PREDICTORS),
        (of.LogLog(), SHARES, PREDICTORS),
        (of.NegativeBinomial(0.7), MEANS, [-1.3, -0.2, -0.7]),
    ):
        name = type(link).__name__
        yield elementwise(f"{name}.deriv", link, link.deriv, at)
        yield elementwise(f"{name}.deriv2", link.deriv, link.deriv2, at)
        yield elementwise(f"{name}.inverse_deriv", link.inverse, link.inverse_deriv, z)
        yield elementwise(f"{name}.inverse_deriv2", link.inverse_deriv, link.inverse_deriv2, z)


def variances() -> Iterator[Case]:
    """The variance of a family by its mean."""
    from statsmodels.genmod.families import varfuncs as of

    for name, variance, at in (
        ("Power", of.Power(1.7), MEANS),
        ("Binomial", of.Binomial(3), SHARES),
        ("NegativeBinomial", of.NegativeBinomial(0.7), MEANS),
    ):
        yield elementwise(f"variance {name}.deriv", variance, variance.deriv, at)


def norms() -> Iterator[Case]:
    """rho, psi and the derivative of psi, away from the bounds."""
    from statsmodels.robust import norms as of

    for norm in (
        of.LeastSquares(),
        of.HuberT(),
        of.RamsayE(),
        of.AndrewWave(),
        of.TrimmedMean(),
        of.Hampel(),
        of.TukeyBiweight(),
        of.TukeyQuartic(),
        of.StudentT(),
        of.MQuantileNorm(0.3, of.HuberT()),
    ):
        name = type(norm).__name__
        yield elementwise(f"{name}.psi", norm.rho, norm.psi, RESIDUALS)
        yield elementwise(f"{name}.psi_deriv", norm.psi, norm.psi_deriv, RESIDUALS)
        yield elementwise(f"{name}.psi of weights", norm.rho, lambda z, of=norm: of.weights(z) * z, RESIDUALS)


def generators() -> Iterator[Case]:
    """The generators of Archimedean copulas, and their inverses."""
    from statsmodels.distributions.copula import transforms as of

    for name, generator, theta in (
        ("Frank", of.TransfFrank(), 2.5),
        ("Clayton", of.TransfClayton(), 1.3),
        ("Gumbel", of.TransfGumbel(), 2.0),
        ("independent", of.TransfIndep(), 0.0),
    ):
        inverses = [f"deriv{order}_inverse" for order in (2, 3, 4)]
        pairs = [("evaluate", "deriv"), ("deriv", "deriv2"), *pairwise(inverses)]
        for value, slope in pairs if name != "Clayton" else [*pairs, ("inverse", "deriv_inverse")]:
            yield elementwise(
                f"{name}.{slope}",
                partial(_of, getattr(generator, value), theta),
                partial(_of, getattr(generator, slope), theta),
                MEANS if "inverse" in slope else SHARES,
                SIGN if (name, slope) == ("Frank", "deriv") else "",
                source=getattr(generator, slope),
            )


def _of(function: Any, theta: float, x: Any) -> Any:
    """A function at a parameter that it takes last."""
    return function(x, theta)


def models() -> Iterator[Case]:
    """The scores and Hessians of discrete models."""
    from statsmodels.discrete import discrete_model as of

    draw = np.random.default_rng(3)
    x = np.column_stack([np.ones(8), draw.normal(size=(8, 2))])
    binary, counts, classes = draw.integers(0, 2, 8), draw.poisson(2.0, 8), np.arange(8) % 3
    beta = np.array([0.3, -0.4, 0.2])
    for model, at in (
        (of.Logit(binary, x), beta),
        (of.Probit(binary, x), beta),
        (of.Poisson(counts, x), beta),
        (of.GeneralizedPoisson(counts, x), np.append(beta, 0.3)),
        (of.GeneralizedPoisson(counts, x, p=2), np.append(beta, 0.1)),
        (of.NegativeBinomial(counts, x), np.append(beta, 0.6)),
        (of.NegativeBinomial(counts, x, loglike_method="nb1"), np.append(beta, 0.6)),
        (of.NegativeBinomial(counts, x, loglike_method="geometric"), beta),
        (of.NegativeBinomialP(counts, x, p=1), np.append(beta, 0.6)),
        (of.NegativeBinomialP(counts, x, p=2), np.append(beta, 0.6)),
        (of.MNLogit(classes, x), np.append(beta, beta[::-1])),
    ):
        name = type(model).__name__ + getattr(model, "loglike_method", "")
        wrong = MIXED if getattr(model, "_transparams", False) else ""
        yield Case(f"{name}.score", model.loglike, at, model.score)
        yield Case(f"{name}.hessian", model.score, at, model.hessian, wrong=wrong)
