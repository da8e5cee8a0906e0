"""Programs that use array rules beside those of the self-test, each with points at which it is smooth."""

import numpy as np
import scipy.fft
import scipy.linalg as la
import scipy.ndimage
import scipy.signal
import scipy.special as special

from gradcli.mathematics.rules.numpy.statistics import BOUNDED
from gradcli.mathematics.rules.reduction import STEPWISE
from tests.mathematics.rules.sample_arrays import complexes, matrix, numbers

FEW, MORE, MANY = numbers((3,)), numbers((5,), seed=1), numbers((2, 3, 4), seed=2)
TIED = np.array([[0.5, 2.0, 2.0], [1.0, 1.0, 1.0]])
ZEROS = np.array([[1.5, 0.0, 2.0], [0.0, 0.7, 0.0]])
SQUARE, TALL = matrix(3, 3), matrix(4, 2)
COMPLEX = complexes((3, 2))


def written(key, x, y, through=lambda x: x):
    """A copy of an array with others written to it, or to a view of it."""
    x = x * 1.0
    through(x)[key] = y
    return x


def _joined(x, y):
    return np.concatenate([x, y, x], axis=-1), np.stack([x, y], axis=1), np.stack([x, y], axis=-1)


MOVES = [
    (lambda x: x.copy(), FEW),
    (lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8)), FEW),
    (lambda x: x[[0, 2, 2]] + x[x > 1.0].sum(), FEW),
    (lambda x: (x[:, [0, 2, 2]], x[[0, 1], :, [1, 1]], x[x > 1.0], x[0, ..., 1:], x[None, 1]), MANY),
    (lambda x: (x.transpose(1, 2, 0), x.T, x.reshape(4, 6), x.reshape((3, 8), order="F")), MANY),
    (lambda x: (np.roll(x, 2, axis=-1), np.roll(x, (1, 2), axis=(0, 2)), np.broadcast_to(x, (2, 2, 3, 4))), MANY),
    (_joined, MANY, MANY + 1),
    (lambda x, y: written((slice(None), 1), x, y), MANY, FEW[:1]),
    (lambda x, y: written([0, 2, 2], x, y), MORE, FEW),
    (lambda x, y: written(([1, 0], slice(None), [1, 3]), x, y), MANY, FEW),
    (lambda x, y: written((1, slice(2)), x, y, through=np.transpose), MANY, FEW[:2]),
    (lambda x, y: written(x > 1.0, x, y), MORE, FEW[:1]),
    (lambda x: x[1] + 2.0, FEW),
]
REDUCTIONS = [
    *((lambda x, f=f, axis=axis: (f(x, axis=axis), f(x, axis=axis, keepdims=True)), MANY)
      for f in (np.sum, np.mean, np.prod, np.max, np.min) for axis in (None, 1, -1, (0, 2))),
    *((lambda x, f=f, axis=axis: (f(x, axis=axis, keepdims=False), f(x, axis=axis, keepdims=True)), MANY)
      for f in STEPWISE.values() for axis in (0, -1)),
    (lambda x: np.prod(x, axis=1), ZEROS),
    *((lambda x, axis=axis: (np.cumsum(x, axis=axis), np.cumprod(x, axis=axis)), MANY) for axis in (0, -1)),
    (lambda x: np.cumprod(x, axis=-1), ZEROS),
]  # fmt: skip
PRODUCTS = [
    *((lambda x, y: x @ y, x, y) for x, y in ((FEW, FEW + 1), (SQUARE, FEW), (FEW, SQUARE), (SQUARE, SQUARE + 1))),
    (lambda x, y: x @ y, MANY, MANY.reshape(2, 4, 3)),
    (lambda x, y: np.einsum("ijk,kl->lij", x, y), MANY, numbers((4, 2), seed=3)),
    (lambda x, y: (np.convolve(x, y), np.convolve(y, x, "valid")), MORE, FEW),
]
FILTERS = [
    (scipy.ndimage.convolve, SQUARE, SQUARE + 1),
    (scipy.signal.lfilter, FEW, FEW + 1, MANY),
    (scipy.signal.lfilter, [1.0], FEW + 1, MORE[:2]),
    (lambda x: (scipy.fft.dct(x), scipy.fft.dstn(x, type=1), np.fft.rfft(x).real, np.fft.irfft(x[0])), SQUARE),
]
LINALG = [
    (lambda x: np.abs(np.linalg.eig(x)[1]), SQUARE),
    (la.solve_sylvester, SQUARE, SQUARE + 2, SQUARE),
    (la.solve_triangular, SQUARE, FEW),
    (lambda a, b: la.solve_banded((1, 1), a, b), SQUARE, FEW),
    (lambda x: la.lu(x)[1:], SQUARE),
    (lambda x: la.polar(x)[0], SQUARE),
    *((getattr(la, f"{name}m"), SQUARE / 4 + np.eye(3)) for name in ("exp", "log", "sqrt", "sin", "cos", "tan")),
    *((getattr(la, f"{name}hm"), SQUARE / 4 + np.eye(3)) for name in ("sin", "cos", "tan")),
    (lambda x: np.linalg.svd(x)[0], TALL),
    (lambda x: np.linalg.svd(x)[2], TALL.T),
    (lambda x: np.linalg.qr(x, "complete")[0], TALL),
]
ON_COMPLEX = [
    (lambda z: (np.real(z), np.imag(z), np.conj(z), np.sign(z)), COMPLEX),
    (lambda z: (np.prod(z, axis=0), np.max(z, axis=0), np.cumprod(z, axis=0), np.sum(z), z.T @ z), COMPLEX),
    (lambda z: (special.lambertw(z), special.wofz(z)), COMPLEX),
    (lambda a, x: scipy.signal.lfilter([1.0], a, x), COMPLEX[:, 0], complexes((4, 5))),
    (lambda z: (np.fft.fft2(z), np.fft.ifft(z, 5)), COMPLEX),
    (lambda z: (np.linalg.inv(z), np.linalg.det(z), np.linalg.slogdet(z)[1]), complexes((3, 3))),
]
PROGRAMS = [
    *(case for cases in (MOVES, REDUCTIONS, PRODUCTS, FILTERS, LINALG, ON_COMPLEX) for case in cases),
    (lambda x: (np.max(x, axis=1), np.min(x, axis=0)), TIED),
    (lambda x: np.ldexp(x, [1, -2, 3]), FEW),
    (lambda x: BOUNDED(x / 3), FEW),
]
