"""Kernels of numerical benchmarks: each is derived, and agrees with the tape."""

import copy
import inspect

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.verification import flat
from tests.answers.derivation.kernels import KERNELS, of_gemver, of_ludcmp, of_seidel_2d

EVERY_DAY = (of_seidel_2d, of_gemver, of_ludcmp)


@pytest.mark.parametrize(
    "kernel",
    [each if each in EVERY_DAY else pytest.param(each, marks=pytest.mark.long) for each in KERNELS],
    ids=lambda f: f.__name__,
)
def test_a_kernel(kernel):
    point = dict(zip(inspect.signature(kernel).parameters, KERNELS[kernel], strict=True))
    derived = gradcli.derive(kernel, at=copy.deepcopy(point)).function

    found = flat(derived(*copy.deepcopy(list(point.values()))))

    argnums = tuple(range(len(point))) if len(point) > 1 else 0
    expected = flat(gradcli.grad(kernel, argnums=argnums)(*copy.deepcopy(list(point.values()))))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
