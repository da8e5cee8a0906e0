"""Programs that compute with complex numbers between a real point and a real result, and the same in mpmath's."""

import cmath
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

X = np.array([0.7, 1.9, 3.2, 0.4])
J = mpmath.j


def spectrum(x: list[Any], length: int, sign: int = -1) -> list[Any]:
    """A discrete Fourier transform by its definition, of numbers that are cut off or filled up."""
    filled = [*x, *[mpmath.mpf(0)] * length][:length]
    root = lambda k: mpmath.expjpi(mpmath.mpf(2 * sign * k) / length)
    return [sum(v * root(j * k) for j, v in enumerate(filled)) for k in range(length)]


def weighed(numbers: list[Any]) -> Any:
    """Their sum, the first not counted, the second once, the third twice."""
    return sum(n * v for n, v in enumerate(numbers))


def size(z: Any) -> Any:
    """The square of the size of a complex number."""
    return mpmath.re(z) ** 2 + mpmath.im(z) ** 2


def _of_a_product(x: list[Any]) -> Any:
    """The product of two half spectra of length 4, as five real numbers."""
    one, two = (spectrum(list(v), 4)[:3] for v in (x, [v * v for v in x]))
    half = [a * mpmath.conj(b) for a, b in zip(one, two, strict=True)]
    whole = [mpmath.re(half[0]), half[1], half[2], mpmath.conj(half[2]), mpmath.conj(half[1])]
    return weighed([mpmath.re(v) / 5 for v in spectrum(whole, 5, 1)])


def _functions(v: Any) -> Any:
    return mpmath.re(mpmath.asinh(v * J + mpmath.mpf(0.1)) * mpmath.log(v + J, 2) - mpmath.expm1(J * v))


# Name, program, point, and the same in mpmath's numbers as a function of a list.
COMPLEX: list[tuple[str, Callable[..., Any], Any, Callable[..., Any]]] = [
    ("size", lambda x: np.sum(np.abs(np.exp(1j * x) + 0.5) ** 2), X,
     lambda x: sum(size(mpmath.exp(J * v) + 0.5) for v in x)),
    ("logarithm", lambda x: np.sum(np.real(np.log(x + 2j * x**2))), X,
     lambda x: sum(mpmath.re(mpmath.log(v + 2 * J * v**2)) for v in x)),
    ("angle", lambda x: np.sum(np.angle(x + 1j * x[::-1] ** 2)), X,
     lambda x: sum(mpmath.atan2(w**2, v) for v, w in zip(x, x[::-1], strict=True))),
    ("root above its cut", lambda x: np.sum(np.imag(np.sqrt(-x + 0j))), X, lambda x: sum(map(mpmath.sqrt, x))),
    ("root below its cut", lambda x: np.sum(np.imag(np.sqrt(-(x + 0j)))), X, lambda x: -sum(map(mpmath.sqrt, x))),
    ("powers", lambda x: np.sum(np.real((x + 1j) ** 2.5 * (1j + x) ** 3)), X,
     lambda x: sum(mpmath.re((v + J) ** mpmath.mpf(5.5)) for v in x)),
    ("power of a negative number", lambda x: ((x - 2) ** 1.5).imag, 0.5,
     lambda x: mpmath.im((x - 2) ** mpmath.mpf(1.5))),
    ("functions", lambda x: np.sum(np.real(np.arcsinh(x * 1j + 0.1) * np.log2(x + 1j) - np.expm1(1j * x))), X,
     lambda x: sum(map(_functions, x))),
    ("direction", lambda x: np.sum(np.real(np.sign(np.exp(1j * x) + x))), X,
     lambda x: sum(mpmath.re(mpmath.sign(mpmath.exp(J * v) + v)) for v in x)),
    ("by hand", lambda x: abs(cmath.exp(1j * x[0]) * x[1] + complex(x[2], 0.5)) ** 2, X,
     lambda x: size(mpmath.exp(J * x[0]) * x[1] + x[2] + J / 2)),
    ("spectrum", lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2 * np.arange(4.0)), X,
     lambda x: weighed(list(map(size, spectrum(x, 4))))),
    ("cut spectrum", lambda x: np.sum(np.abs(np.fft.fft(x, 3, norm="ortho")) ** 2 * np.arange(3.0)), X,
     lambda x: weighed(list(map(size, spectrum(x, 3)))) / 3),
    ("back", lambda x: np.sum(np.imag(np.fft.ifft(x * x, 6)) * np.arange(6.0)), X,
     lambda x: weighed([mpmath.im(v) / 6 for v in spectrum([v * v for v in x], 6, 1)])),
    ("two axes", lambda x: np.sum(np.real(np.fft.fft2(np.reshape(x, (2, 2)))) ** 2), X,
     lambda x: sum((x[0] + a * x[1] + b * x[2] + a * b * x[3]) ** 2 for a in (1, -1) for b in (1, -1))),
    ("half spectra", lambda x: np.fft.irfft(np.fft.rfft(x) * np.conj(np.fft.rfft(x * x)), 5) @ np.arange(5.0), X,
     _of_a_product),
    ("solution", lambda x: np.real(np.linalg.solve(np.diag(x[:2] + 1j), x[2:] + 0j)[1]), X,
     lambda x: mpmath.re(x[3] / (x[1] + J))),
    ("triangle", lambda x: np.real(np.linalg.cholesky(np.diag(x[:2]) + np.array([[0, -1j], [1j, 9]]))[1, 1]), X,
     lambda x: mpmath.sqrt(x[1] + 9 - 1 / x[0])),
    ("determinant", lambda x: np.abs(np.linalg.det(np.reshape(x, (2, 2)) * 1j + 1)), X,
     lambda x: abs((1 + J * x[0]) * (1 + J * x[3]) - (1 + J * x[1]) * (1 + J * x[2]))),
    ("complex point", lambda z: np.sum(np.abs(z) ** 2 * np.real(z)), np.array([1 + 2j, 3 - 1j]),
     lambda x: (x[0] ** 2 + x[1] ** 2) * x[0] + (x[2] ** 2 + x[3] ** 2) * x[2]),
    ("complex number", lambda z: (z * z * 1j).real, 1 + 2j, lambda x: -2 * x[0] * x[1]),
    ("spectrum of complex numbers", lambda z: np.abs(np.fft.fft(z)[1]) ** 2, np.array([1 + 2j, 0.5j]),
     lambda x: (x[0] - x[2]) ** 2 + (x[1] - x[3]) ** 2),
]  # fmt: skip


def parts(at: Any) -> list[Any]:
    """The numbers of a point one by one, complex ones as real and imaginary parts."""
    if isinstance(at, float):
        return at
    numbers = np.ravel(at)
    return [np.stack([numbers.real, numbers.imag], axis=1) if np.iscomplexobj(numbers) else numbers]
