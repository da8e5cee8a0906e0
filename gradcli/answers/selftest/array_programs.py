"""Short programs that use the array rules, each with a point at which it is smooth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.shape import CAST
from gradcli.methods.transforms.gradients import grad

VECTOR = np.array([0.7, 1.9, 3.2, 0.4])
SQUARE = np.array([[2.1, 0.3], [0.5, 1.7]])
TALL = np.array([[2.1, 0.3], [0.5, 1.7], [0.2, 0.9]])

Program = Callable[[Any], Any]


def weighed(y: Any) -> Any:
    """A sum in which every element has a different weight."""
    weights = np.sin(1.0 + np.arange(float(np.size(y)))).reshape(np.shape(y))
    return np.sum(weights * y)


def written(x: Any) -> Any:
    """A program that writes a place of an array."""
    y = x * 1.0
    y[:2] = x[1:3] ** 2
    return weighed(y)


def put_back(x: Any) -> Any:
    """A program that differentiates the gradient of a read."""
    return weighed(grad(lambda z: np.sum(z[1:] ** 3))(x))


def _vectors() -> dict[str, Program]:
    return {
        "x[1]": lambda x: x[1] * x[2],
        "y[:2] = x[1:3]**2": written,
        "grad(sum(z[1:]**3))": put_back,
        "reshape": lambda x: weighed(np.reshape(x * x, (2, 2))),
        "transpose": lambda x: weighed(np.transpose(np.reshape(x, (2, 2)))),
        "broadcast_to": lambda x: weighed(np.broadcast_to(x * x, (3, 4))),
        "concatenate": lambda x: weighed(np.concatenate([x, x * x])),
        "stack": lambda x: weighed(np.stack([x, x * x])),
        "cast": lambda x: weighed(CAST(x, dtype=np.dtype(np.float64)) ** 2),
        "roll": lambda x: weighed(np.roll(x * x, 1)),
        "convolve": lambda x: weighed(np.convolve(x, x[:2])),
        "mean": lambda x: np.mean(x * x),
        "sum": lambda x: np.sum(x * x),
        "prod": np.prod,
        "max": lambda x: np.max(x * x),
        "min": lambda x: np.min(x * x),
        "einsum": lambda x: np.einsum("i,ij,j->", x, np.outer(np.arange(4.0), np.ones(4)), x * x),
        "sort": lambda x: weighed(np.sort(x)),
        "cumsum": lambda x: weighed(np.cumsum(x * x)),
        "cumprod": lambda x: weighed(np.cumprod(x)),
        "fft": lambda x: weighed(np.abs(np.fft.fft(x)) ** 2),
        "ifft": lambda x: weighed(np.real(np.fft.ifft(x * x))) + weighed(np.imag(np.fft.ifft(x))),
        "direction": lambda x: weighed(np.real(np.sign(x + 1j * x[::-1]))),
        "ldexp": lambda x: weighed(np.ldexp(x * x, 2)),
        "irfft": lambda x: weighed(np.fft.irfft(np.fft.rfft(x) * np.conj(np.fft.rfft(x * x)))),
    }


def _matrices() -> dict[str, Program]:
    linalg = np.linalg
    return {
        "matmul": lambda a: weighed(a @ (a.T + 1.0)),
        "inv": lambda a: weighed(linalg.inv(a)),
        "solve": lambda a: weighed(linalg.solve(a, a[0] * a[1])),
        "det": linalg.det,
        "slogdet": lambda a: linalg.slogdet(a)[1],
        "eigvalsh": lambda a: weighed(linalg.eigvalsh(a + a.T)),
        "eigh": lambda a: weighed(linalg.eigh(a + a.T)[1] ** 2),
        "cholesky": lambda a: weighed(linalg.cholesky(a @ a.T)),
        "qr": lambda a: weighed(linalg.qr(a)[1] ** 2),
        "svd": lambda a: weighed(linalg.svd(a)[0] ** 2) + weighed(linalg.svd(a)[1]),
        "right vectors": lambda a: weighed(linalg.svd(a)[2] ** 2),
        "singular values": lambda a: weighed(linalg.svd(a, compute_uv=False)),
    }


def _rectangles() -> dict[str, Program]:
    linalg = np.linalg
    return {
        "pinv": lambda a: weighed(linalg.pinv(a)),
        "lstsq": lambda a: weighed(linalg.lstsq(a, a[:, 0] * a[:, 1] + np.arange(3.0), rcond=None)[0]),
    }


PROGRAMS: dict[str, tuple[Program, Any]] = {
    **{name: (program, VECTOR) for name, program in _vectors().items()},
    **{name: (program, SQUARE) for name, program in _matrices().items()},
    **{name: (program, TALL) for name, program in _rectangles().items()},
}
