"""The places in modules of libraries that a program reaches."""

import statistics

import numpy as np
import pytest
import scipy.special
from scipy import interpolate

from gradcli.engine.code.reachable_objects import reachable_objects
from gradcli.engine.patching.library_modules import is_of_library, library_places
from gradcli.engine.patching.mentioned_names import used_modules
from gradcli.engine.patching.replacement_table import replacement_table


def places(function):
    reached = reachable_objects(function)
    return list(library_places(reached, used_modules(reached), replacement_table))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x * x, None),
        (lambda x: np.sum(x), None),
        (lambda x: scipy.special.expit(x), None),
        (lambda x: statistics.fmean([x, 1.0]), "statistics"),
        (lambda x: np.polynomial.Polynomial([1.0, 2.0])(x), "numpy.polynomial.polyutils"),
        (lambda x: interpolate.CubicSpline([0.0, 1.0], [0.0, x])(0.5), "scipy.interpolate._cubic"),
        (lambda x, name="CubicSpline": getattr(interpolate, name), "scipy.interpolate._cubic"),
    ],
)
def test_a_program_leads_to_the_modules_that_it_names(function, expected):
    """Their globals are exchanged; a program that names none of these libraries needs none."""
    found = places(function)
    modules = {place.holder["__name__"] for place in found if type(place.holder) is dict}

    assert (expected in modules) if expected else (found == [])
    assert all(is_of_library(place) for place in found if type(place.holder) is dict)
