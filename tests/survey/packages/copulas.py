"""copulas: the distribution functions of bivariate copulas, their partial derivatives and their densities."""

from collections.abc import Iterator

import numpy as np

from tests.survey.case import Case

RELEASE = "copulas==0.14.1"


def cases() -> Iterator[Case]:
    """By v, and then by u, at two points of each family."""
    from copulas import bivariate as of

    for family, theta in ((of.Clayton, 1.3), (of.Frank, 2.5), (of.Frank, -1.5), (of.Gumbel, 1.6)):
        copula = family()
        copula.theta = theta
        copula.fitted = True
        for u, v in ((0.3, 0.6), (0.85, 0.2)):
            where = f"{family.__name__} {theta} at {u}, {v}"
            yield Case(
                f"partial_derivative of {where}",
                lambda v, u=u, of=copula: of.cumulative_distribution(np.array([[u, v]]))[0],
                v,
                lambda v, u=u, of=copula: of.partial_derivative(np.array([[u, v]]))[0],
                family.partial_derivative,
            )
            yield Case(
                f"probability_density of {where}",
                lambda u, v=v, of=copula: of.partial_derivative(np.array([[u, v]]))[0],
                u,
                lambda u, v=v, of=copula: of.probability_density(np.array([[u, v]]))[0],
                family.probability_density,
            )
