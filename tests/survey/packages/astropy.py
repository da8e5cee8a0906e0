"""astropy: the derivatives of models by their parameters, which its fitters use."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.survey.case import Case

RELEASE = "astropy==8.0.2"

X = np.array([0.4, 1.3, 2.2, 3.7])
Y = np.array([1.1, -0.3, 0.8, 2.1])
ANGLES = np.array([-0.3, 0.1, 0.2, 0.4])

# The parameters of each model, in its own order.
MODELS: dict[str, list[float]] = {
    "Gaussian1D": [2.0, 1.5, 0.8],
    "Shift": [0.7],
    "Scale": [1.7],
    "Multiply": [1.7],
    "RedshiftScaleFactor": [0.4],
    "Sine1D": [1.2, 0.3, 0.1],
    "Cosine1D": [1.2, 0.3, 0.1],
    "Tangent1D": [1.2, 0.05, 0.02],
    "ArcSine1D": [1.2, 0.3, 0.1],
    "ArcCosine1D": [1.2, 0.3, 0.1],
    "ArcTangent1D": [1.2, 0.3, 0.1],
    "Linear1D": [1.3, -0.4],
    "Lorentz1D": [2.0, 1.5, 0.8],
    "Voigt1D": [1.5, 2.0, 0.8, 0.6],
    "Const1D": [1.3],
    "Moffat1D": [2.0, 1.5, 0.8, 1.7],
    "KingProjectedAnalytic1D": [2.0, 0.9, 6.0],
    "Logarithmic1D": [1.5, 0.7],
    "Exponential1D": [1.5, 2.7],
    "PowerLaw1D": [1.5, 0.9, 1.3],
    "BrokenPowerLaw1D": [1.5, 1.8, 1.3, 2.1],
    "SmoothlyBrokenPowerLaw1D": [1.5, 1.8, 1.3, 2.1, 0.4],
    "ExponentialCutoffPowerLaw1D": [1.5, 0.9, 1.3, 5.0],
    "LogParabola1D": [1.5, 0.9, 1.3, 0.4],
    "Schechter1D": [1.5, 1.2, -0.7],
    "Gaussian2D": [2.0, 1.5, 0.4, 0.8, 1.1, 0.3],
    "Planar2D": [0.4, -0.7, 1.2],
    "Lorentz2D": [2.0, 1.5, 0.4, 0.8],
    "Moffat2D": [2.0, 1.5, 0.4, 0.8, 1.7],
}


def cases() -> Iterator[Case]:
    """The value at four points, or four pairs, by the parameters."""
    from astropy.modeling import models

    for name, parameters in MODELS.items():
        model = getattr(models, name)  # a new one each time: Voigt1D keeps a result
        at = [X, Y] if name.endswith("2D") else [ANGLES if name.startswith("Arc") else X]
        yield Case(
            name,
            lambda p, of=model, at=at: of().evaluate(*at, *p),
            np.array(parameters),
            lambda p, of=model, at=at: columns(of().fit_deriv(*at, *p)),
            model.fit_deriv,
        )
    kept = models.Voigt1D()
    yield Case("Voigt1D that keeps its last result", lambda p: kept.evaluate(X, *p), np.array(MODELS["Voigt1D"]))


def columns(partials: Any) -> Any:
    """The partials, each a number or a vector, as the columns of a matrix."""
    return np.stack([np.broadcast_to(np.asarray(each, float), X.shape) for each in partials], axis=-1)
