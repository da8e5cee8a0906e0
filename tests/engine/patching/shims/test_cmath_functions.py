"""`cmath` and `complex` of recorded numbers: replaced like `math`, the originals on plain numbers."""

import cmath
from cmath import exp

import numpy as np
import pytest

from gradcli import grad
from gradcli.engine.patching.shims import modules, python_types
from gradcli.methods.numerics import differences

Z = 0.4 + 0.7j
UNARY = "acos acosh asin asinh atan atanh cos cosh exp log log10 sin sinh sqrt tan tanh phase".split()


def slopes(f, z):
    """The derivatives along the real and the imaginary axis, by differences, as a complex number."""
    return complex(*(differences.slope(lambda t, d=d: float(f(z + t * d)), 0.0, 2.2e-16).value for d in (1, 1j)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", UNARY)
def test_functions(name):
    """Value and sensitivity, of a complex number and of a real one."""

    def f(z):
        found = getattr(cmath, name)(z * (1 + 0.5j))
        return found.real + 2 * found.imag

    assert slopes(f, Z) == pytest.approx(grad(f)(Z), rel=1e-8)
    assert slopes(f, Z.real).real == pytest.approx(grad(f)(Z.real), rel=1e-8)


PROGRAMS = {
    "polar": lambda z: cmath.polar(z)[0] * cmath.polar(z)[1],
    "rect": lambda z: cmath.rect(z.real, z.imag).imag,
    "a base": lambda z: abs(cmath.log(z, 2) + cmath.log(3, z)),
    "complex of both": lambda z: abs(complex(z.real, 3 * z.imag) ** 2),
    "complex of one": lambda z: abs(complex(z.imag) + complex(1, z.real) + complex(z.real, 1)),
    "complex of a complex": lambda z: abs(complex(z) * 2),
    "by its own name": lambda z: exp(z).imag,
    "NumPy's": lambda z: abs(np.complex128(z) * np.complex128(z.real)),
    "facts": lambda z: abs(z) if cmath.isfinite(z) and not cmath.isnan(z) and cmath.isclose(z, z) else z.real,
    "isinstance": lambda z: abs(complex(z)) if isinstance(complex(z), complex) else z.real,
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(f):
    assert slopes(f, Z) == pytest.approx(grad(f)(Z), rel=1e-8)


def test_plain_numbers():
    ours, z = modules.module("cmath"), 0.4 + 0.7j
    for name in [*UNARY, "polar"]:
        assert getattr(cmath, name)(z) == getattr(ours, name)(z)
    assert (cmath.rect(1, 2), cmath.log(2, 3), True) == (ours.rect(1, 2), ours.log(2, 3), ours.isclose(1, 1))
    assert (2 + 3j, complex) == (python_types.ComplexShim(2, 3), type(python_types.ComplexShim("2+3j")))
    assert ours.pi == cmath.pi


def test_errors():
    with pytest.raises(ValueError, match=r"math domain error|expected a"):
        grad(lambda x: cmath.log(x).real)(0.0)
    with pytest.raises(TypeError):
        grad(lambda x: cmath.exp(x, 1).real)(0.0)
